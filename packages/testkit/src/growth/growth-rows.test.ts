import type { Growth } from '@plimsoll/heap';
import { expect, test } from 'vitest';
import { growthSettings } from '../options.ts';
import { leaksIn } from './growth-rows.ts';

const steps = [1000, 2000] as const;

/** A growing path as the analysis of three snapshots tells it. */
function grown(counts: readonly [number, number, number], options: Partial<Growth> = {}): Growth {
  return {
    fingerprint: 'f0',
    name: 'Session',
    counts,
    fresh: counts[2] - counts[0],
    bytes: counts.map((count) => 100 * count),
    keptBytes: 100 * counts[0],
    holders: 1,
    newBytes: 100 * (counts[2] - counts[0]),
    severity: 'high',
    summary: '',
    code: 'registry.schemas.get(<serial:4>)',
    trace: [
      step('root', 'module src/registry.ts', ''),
      step('object', 'ToolRegistry', 'variable registry'),
      step('object', 'Map', 'schemas', true),
      step('object', 'Session', 'get(<serial:4>)', true),
    ],
    ...options,
  };
}

function step(
  type: Growth['trace'][number]['type'],
  name: string,
  via: string,
  suspect = false,
): Growth['trace'][number] {
  return { type, name, via, suspect, id: 1, retainedBytes: 100, leaking: 'maybe', why: '' };
}

function names(...growth: readonly Growth[]): readonly string[] {
  return leaksIn(growth, steps, []).leaks.map(({ name }) => name);
}

test('a path that gains one object per call in both steps is a leak', () => {
  const { leaks } = leaksIn([grown([1000, 2000, 4000])], steps, []);
  expect(leaks).toMatchObject([{ name: 'Session', objectsPerCall: 1, bytes: 300_000 }]);
  expect(leaks[0]?.fix).toContain('remove entries from registry.schemas');
});

test('a leak of one object in ten calls is a leak, one in a hundred is not told from a table that is resized', () => {
  expect(names(grown([100, 200, 400]))).toEqual(['Session']);
  expect(names(grown([10, 20, 40]))).toEqual([]);
});

test('a cache that came to rest between the snapshots is none', () => {
  expect(names(grown([1000, 2000, 2400]))).toEqual([]);
});

test('a buffer that was filled between two flushes is none', () => {
  expect(names(grown([0, 100, 2100]))).toEqual([]);
});

test('a container that replaces its entries is none', () => {
  expect(names(grown([1000, 2000, 4000], { fresh: 3900 }))).toEqual([]);
});

test('what only V8 itself adds to is none', () => {
  expect(names(grown([1000, 2000, 4000], { name: 'system / FeedbackVector' }))).toEqual([]);
  expect(names(grown([1000, 2000, 4000], { name: '(code)' }))).toEqual([]);
  expect(names(grown([1000, 2000, 4000], { name: '()' }))).toEqual(['()']);
});

test('what lies below the holder of another leak is part of it', () => {
  const inner = grown([2000, 4000, 8000], { name: 'Message', fingerprint: 'f1' });
  expect(names(grown([1000, 2000, 4000]), inner)).toEqual(['Session']);
});

test('a path is ignored by what it goes through, with its reason', () => {
  const ignore = (through: string | RegExp): ReturnType<typeof leaksIn> =>
    leaksIn([grown([1000, 2000, 4000])], steps, [{ through, why: 'a cache, #12' }]);
  for (const through of ['ToolRegistry.schemas', 'registry.schemas', /schemas Map/])
    expect(ignore(through)).toMatchObject({ leaks: [], ignored: [{ why: 'a cache, #12' }] });
  expect(ignore('otherRegistry').leaks).toHaveLength(1);
});

test('a reason is required', () => {
  const settings = (why: string): unknown =>
    growthSettings(() => 0, { ignore: [{ through: 'schemas', why }] });
  expect(() => settings(' ')).toThrow(expect.objectContaining({ code: 'PLM_TESTKIT_OPTION' }));
  expect(settings('a cache, #12')).toMatchObject({ ignore: [{ why: 'a cache, #12' }] });
});
