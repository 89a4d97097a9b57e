import { expect, test } from 'vitest';
import type { PatternStep } from '../trace/leak-trace.ts';
import { knownLeaks } from './catalogue.ts';
import { matchKnownLeak } from './match.ts';

const step = (name: string, via = '', script?: string, times?: number): PatternStep => ({
  name,
  via,
  ...(script !== undefined && { script }),
  ...(times !== undefined && { times }),
});

test('the two live leaks of frameworks are recognised by their listener', () => {
  const signal = [step('global'), step('AbortSignal', '#signal'), step('Map'), step('Listener', 'next')];
  expect(matchKnownLeak([...signal, step('cancelOnAbort()', 'listener', 'ai/dist/index.js')])?.id).toBe(
    'ai-stream-early-exit',
  );
  expect(
    matchKnownLeak([
      ...signal,
      step('listener()', 'listener', '@langchain/langgraph/dist/pregel/utils/index.js'),
    ])?.id,
  ).toBe('langgraph-signal-listener');
  expect(matchKnownLeak([...signal, step('listener()', 'listener', 'app/mine.js')])).toBeUndefined();
});

test('keys of hono and images of canvas are recognised by the traces that snapshots of them show', () => {
  expect(
    matchKnownLeak([
      step('global'),
      step('Hono', 'app'),
      step('Array', 'routes'),
      step('Object', '[x]'),
      step('jwk2()', 'handler', 'hono/dist/middleware/jwk/jwk.js'),
      step('Object', 'variable options'),
      step('Array', 'keys'),
      step('Object', '[x]'),
    ])?.id,
  ).toBe('hono-jwks-keys');
  expect(matchKnownLeak([step('(Global handles)'), step('Image', 'root')])?.id).toBe('napi-canvas-image');
});

/** A trace that a matcher's own path describes. */
function described(path: readonly string[]): PatternStep[] {
  return path.map((text) => {
    const [part = '', times] = text.split(' x');
    const [what = '', script] = part.split(' @ ');
    const [via, name] = what.startsWith('.')
      ? [what.slice(1), 'X']
      : what.includes(' : ')
        ? what.split(' : ')
        : ['v', what];
    return step(
      (name ?? '').replaceAll('*', 'any'),
      (via ?? '').replaceAll('*', 'any'),
      script?.replaceAll('*', 'any'),
      times === undefined ? undefined : Number(times),
    );
  });
}

test.each(knownLeaks.map((leak) => [leak.id, leak] as const))(
  '%s can match, and says what to do',
  (id, leak) => {
    expect(knownLeaks.filter((other) => other.id === id)).toHaveLength(1);
    expect(matchKnownLeak(described(leak.path), [leak])).toEqual({
      id,
      framework: leak.framework,
      versions: leak.versions,
      title: leak.title,
      cure: leak.cure,
      link: leak.link,
    });
    expect(matchKnownLeak(described(leak.path).slice(1), [leak])).toBeUndefined();
    expect(leak.link).toMatch(/^https:\/\/github\.com\/\S+\/\S+/);
    expect(leak.cure).toMatch(/\.$/);
  },
);

test('one reaction on a promise is no leak, many in a row are', () => {
  const trace = (times: number): PatternStep[] => [
    step('Promise', 'closing'),
    step('(anonymous)()', 'reaction', undefined, times),
  ];
  expect(matchKnownLeak(trace(1))).toBeUndefined();
  expect(matchKnownLeak(trace(1500))?.id).toBe('promise-race-long-lived');
});

test('a matcher without a path matches nothing', () => {
  expect(
    matchKnownLeak([step('A')], [{ ...(knownLeaks[0] as (typeof knownLeaks)[0]), path: [] }]),
  ).toBeUndefined();
});
