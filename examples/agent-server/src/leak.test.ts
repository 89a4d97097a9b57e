import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roster } from '@plimsoll/core/internal/scope/index';
import { expect, test } from 'vitest';
import { isLeakName, leakNames } from './leak.ts';
import type { LeakName } from './leak.ts';
import { startSoak } from './soak.fixture.ts';
import type { Floor } from './soak.fixture.ts';

/** Each takes some seconds of a core, which others may want too. */
const patience = { timeout: 300_000 };

interface Left extends Floor {
  /** What scopes said must be gone and is not, as "kind label". */
  readonly survivors: readonly string[];
}

/** KiB that each of `sessions` sessions leaves behind, after a warm-up of half as many. */
async function leftBehind(leaks: readonly LeakName[], sessions: number, parkDir?: string): Promise<Left> {
  await using soak = await startSoak(leaks, parkDir);
  const before = await soak.run(sessions / 2);
  const after = await soak.run(sessions);
  const each = (bytes: number): number => bytes / sessions / 1024;
  return {
    heap: each(after.heap - before.heap),
    buffers: each(after.buffers - before.buffers),
    survivors: [...new Set([...roster.watched()].map(({ kind, label }) => `${kind} ${label}`))].sort(),
  };
}

test('without a planted leak nothing is left behind', patience, async () => {
  const left = await leftBehind([], 150);
  // The first thousand calls of any program leave some compiled code and feedback behind.
  expect(left.heap).toBeLessThan(4);
  expect(left.buffers).toBeLessThan(0.5);
  expect(left.survivors).toEqual([]);
});

test('nor when the sessions are kept by a keeper', patience, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'agent-soak-'));
  const left = await leftBehind([], 100, dir);
  expect(left.heap).toBeLessThan(6);
  expect(left.buffers).toBeLessThan(0.5);
  expect(left.survivors).toEqual([]);
  expect(readdirSync(dir)).toEqual([]);
  rmSync(dir, { recursive: true });
});

test.each([
  ['session-map', ['session checkpoints', 'session replay buffers', 'session state']],
  ['abort-listener', ['run run', 'session checkpoints', 'session replay buffers', 'session state']],
  ['replay-buffer', ['session replay buffers']],
] as const)(
  'the %s leak leaves heap behind, and what it pins is named',
  patience,
  async (leak, survivors) => {
    const left = await leftBehind([leak], 40);
    expect(left.heap).toBeGreaterThan(10);
    expect(left.survivors).toEqual(survivors);
  },
);

test('the checkpoints leak is hardly seen in the heap', patience, async () => {
  const left = await leftBehind(['checkpoints'], 60);
  expect(left.buffers).toBeGreaterThan(40);
  expect(left.heap).toBeLessThan(left.buffers / 5);
  expect(left.survivors).toEqual(['session checkpoints']);
});

test('leak names are known by name only', () => {
  expect(leakNames.every(isLeakName)).toBe(true);
  expect(isLeakName('roof')).toBe(false);
});
