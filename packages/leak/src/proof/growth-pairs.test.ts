import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '../findings/finding.ts';
import { expect, test } from 'vitest';
import { frameOf } from '../../../host/src/protocol/frame.fixture.ts';
import { growthRecordOf } from './growth-record.fixture.ts';
import { analyzeSnapshots } from './snapshot-analysis.ts';
import { GrowthPairs } from './pair.ts';
import type { GrowthPairsOptions } from './pair.ts';

const MiB = 1024 ** 2;
const suspect = { fingerprint: 'growth-heap', channel: 'heap' as const, growthBytes: 5 * MiB };

class LateLeak {
  readonly words = ['a', 'b', String(Math.random())];
}
const kept: LateLeak[] = [];

interface Chase {
  readonly dir: string;
  readonly found: Finding[];
  tick(minutes: number, floorMiB: number): Promise<void>;
  readonly pairs: GrowthPairs;
}

function chase(options: Partial<GrowthPairsOptions> = {}): Chase {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-pairs-'));
  const found: Finding[] = [];
  let now = 0;
  const pairs = new GrowthPairs({
    dir,
    maxPauseMs: 60_000,
    growing: () => [suspect],
    record: () => growthRecordOf(),
    analyze: () => Promise.resolve(undefined),
    onProof: (_channel, findings) => found.push(...findings),
    now: () => now,
    limits: { fromMs: 0, pairMs: 60_000 },
    ...options,
  });
  const tick = async (minutes: number, floorMiB: number): Promise<void> => {
    now = minutes * 60_000;
    await pairs.take({ ...frameOf().reading, at: now, floor: floorMiB * MiB });
  };
  return { dir, found, tick, pairs };
}

test('growth that the detector suspects late is proved by two real snapshots', async () => {
  const { dir, found, tick } = chase({ analyze: (last, first) => analyzeSnapshots(last.file, first.file) });
  for (let i = 0; i < 100; i++) kept.push(new LateLeak());
  await tick(4400, 50);
  expect(readdirSync(dir)).toEqual([`${process.pid}.pair-first.heapsnapshot`]);
  for (let i = 0; i < 20_000; i++) kept.push(new LateLeak());
  await tick(4440, 53);
  expect(found[0]).toMatchObject({ kind: 'growth', firstSeen: 4400 * 60_000 });
  expect(JSON.stringify(found[0]?.trace)).toContain('LateLeak');
  expect(found[0]?.severity).not.toBe('low');
  expect(readdirSync(dir)).toEqual([]);
  await tick(9000, 90);
  expect(readdirSync(dir)).toEqual([]);
  kept.length = 0;
});

test('snapshots that explain nothing page nobody, and a refusal is silent', async () => {
  const { found, tick } = chase();
  await tick(1, 50);
  await tick(5, 60);
  expect(found).toEqual([]);
  const refused = chase({ maxPauseMs: 0 });
  await refused.tick(1, 50);
  expect(readdirSync(refused.dir)).toEqual([]);
});

test('an end in the middle leaves no file, a folder that cannot be written no error', async () => {
  const { dir, tick, pairs } = chase();
  await tick(1, 50);
  pairs.stop();
  expect(readdirSync(dir)).toEqual([]);
  const file = join(dir, 'file');
  writeFileSync(file, '');
  const nowhere = chase({ dir: join(file, 'none') });
  await nowhere.tick(1, 50);
  expect(readdirSync(dir)).toEqual(['file']);
});
