import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { Claim } from '../findings/finding-book.ts';
import { ContainerWatch } from './container-watch.ts';
import { watchListenerWarnings } from './listener-warnings.ts';

const of = (kind: string, ...roots: object[]) => [{ scope: { path: 'process', kind }, roots }];

it('suspects a registered map that only grows, once', () => {
  const watch = new ContainerWatch();
  const state = { sessions: new Map<number, number>(), waiting: [] as number[], name: 'x' };
  const found: Claim[] = [];
  for (let i = 0; i < 2000; i++) {
    state.sessions.set(i, i);
    state.waiting.push(i);
    if (state.waiting.length > 500) state.waiting.length = 0;
    if (i % 100 === 0) found.push(...watch.look(of('process', state)));
  }
  expect(found).toMatchObject([{ kind: 'growth', severity: 'low', subject: 'Object.sessions' }]);
  expect(found[0]?.fix).toMatchInlineSnapshot(
    `"Object.sessions had 1 entries and has 1,101, and never lost one: remove entries when their work ends, or give it a bound (a keeper of @plimsoll/keep)."`,
  );
});

it('leaves sessions alone: theirs may grow until they close', () => {
  const watch = new ContainerWatch();
  const history: number[] = [];
  for (let i = 0; i < 2000; i++) {
    history.push(i);
    expect(watch.look(of('session', history))).toEqual([]);
  }
});

it('looks at no more than 256 containers', () => {
  const sets = Array.from({ length: 300 }, () => new Set([1]));
  expect(new ContainerWatch().look(of('process', ...sets))).toEqual([]);
});

it("takes Node's own warning of too many listeners for a hint", async () => {
  const found: Claim[] = [];
  const stop = watchListenerWarnings((claim) => found.push(claim));
  const emitter = new EventEmitter();
  for (let i = 0; i < 11; i++) emitter.on('data', () => undefined);
  process.emitWarning('another');
  await new Promise((next) => setImmediate(next));
  stop();
  expect(found).toMatchObject([
    { kind: 'listener', severity: 'info', subject: '"data" on EventEmitter', times: 11 },
  ]);
  expect(found[0]?.site).toContain('container-watch.test.ts');
});
