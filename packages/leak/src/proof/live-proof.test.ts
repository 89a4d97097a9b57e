import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { frameOf } from '../../../host/src/protocol/frame.fixture.ts';
import type { Finding } from '../findings/finding.ts';
import type { GrowthShape } from '../judge/growth-shape.ts';
import { growthRecordOf, judgementOf } from './growth-record.fixture.ts';
import type { GrowthRecord } from './growth-record.ts';
import { LiveProof } from './live-proof.ts';

const MiB = 1024 ** 2;
const minuteMs = 60_000;
const { startedAt } = growthRecordOf();

interface Told {
  readonly live: LiveProof;
  readonly found: Finding[];
  readonly over: string[];
  readonly explained: string[];
  /** What the recorder has seen after so many minutes. */
  see(minutes: number, shape: GrowthShape, last?: GrowthRecord['last']): GrowthRecord;
  /** A reading of that time. */
  read(minutes: number): void;
}

function watched(): Told {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-live-proof-'));
  const recorder = { record: growthRecordOf(), snapshotSince: () => undefined };
  const found: Finding[] = [];
  const over: string[] = [];
  const explained: string[] = [];
  const live = new LiveProof({
    dir,
    maxPauseMs: 0,
    recorder,
    growing: () => [],
    weigh: (finding) => finding,
    onFinding: (finding) => found.push(finding),
    onOver: (fingerprint) => over.push(fingerprint),
    onExplained: (channel) => explained.push(channel),
  });
  // A snapshot that is gone when it is to be read: the function that allocates is all that explains the growth.
  const sites = [
    {
      function: 'keep',
      file: '/app/store.mjs',
      line: 3,
      column: 1,
      perHour: 600 * MiB,
      low: 500 * MiB,
      high: 700 * MiB,
    },
  ];
  const gone = { file: join(dir, 'gone.heapsnapshot'), at: startedAt, stopMs: 1, heapBytes: 30 * MiB };
  const see: Told['see'] = (minutes, shape, last = gone) => {
    const heap = judgementOf(shape, 20 * MiB);
    return (recorder.record = growthRecordOf({ heap }, { at: startedAt + minutes * minuteMs, last, sites }));
  };
  const read = (minutes: number): void =>
    live.take({ ...frameOf().reading, at: startedAt + minutes * minuteMs });
  return { live, found, over, explained, see, read };
}

test('growth of a young process is a suspicion, and one that goes on becomes a leak', async () => {
  const { live, found, explained, see, read } = watched();
  await live.prove(see(1, 'growing'));
  expect(found.map(({ kind, severity }) => `${kind} ${severity}`)).toEqual(['growth low']);
  expect([explained, live.hasExplained('heap'), live.hasExplained('native')]).toEqual([
    ['heap'],
    true,
    false,
  ]);
  see(2, 'growing');
  read(2);
  expect(found).toHaveLength(1);
  const { at } = see(4, 'growing');
  read(4);
  expect(found[1]).toMatchObject({ kind: 'growth', fingerprint: found[0]?.fingerprint, lastSeen: at });
  expect(found[1]?.severity).not.toBe('low');
  live.stop();
});

test.each(['ended', 'flat'] as const)('growth that is %s later is taken back', async (shape) => {
  const { live, found, over, see, read } = watched();
  await live.prove(see(1, 'growing'));
  see(2, shape);
  read(2);
  expect(over).toEqual([found[0]?.fingerprint]);
  expect(live.hasExplained('heap')).toBe(false);
  read(9);
  expect(over).toHaveLength(1);
});

test('a process that does not grow, or was never stopped for a snapshot, is told nothing of', async () => {
  const { live, found, explained, see } = watched();
  await live.prove(see(1, 'flat'));
  await live.prove(see(1, 'growing', null));
  expect([found, explained]).toEqual([[], []]);
});
