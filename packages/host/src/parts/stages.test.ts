import { channel } from 'node:diagnostics_channel';
import { afterEach, expect, test } from 'vitest';
import { StagesPart } from './stages.ts';

const calls = channel('plimsoll:stage');
const trackers = channel('plimsoll:stages');
const noted: Readonly<Record<string, string | number>>[] = [];
const part = new StagesPart((body) => void noted.push(body));

afterEach(() => {
  part.stop();
  noted.length = 0;
});

function end(run: number, stage: string, startedAt: number, kept: number): void {
  const path = `process/run:chat/stage:${stage}`;
  calls.publish({ path, run, stage, startedAt, durationMs: 5, ok: true, kept, peak: kept, before: 0 });
}

test('calls of one run are one row with their places in time; the heaviest run stays beside the newest', () => {
  part.start();
  end(1, 'rag', 1000, 50_000_000);
  end(1, 'answer', 1006, 10);
  for (let run = 2; run < 9; run++) end(run, 'rag', 1000 * run, run);
  expect(part.rows).toHaveLength(5);
  expect(part.rows[0]).toMatchObject({ at: 8000, kept: 8, isHeaviest: false });
  expect(part.rows.at(-1)).toEqual({
    path: 'process/run:chat',
    at: 1000,
    durationMs: 11,
    kept: 50_000_010,
    isHeaviest: true,
    more: 0,
    calls: [
      { stage: 'rag', startMs: 0, durationMs: 5, ok: true, kept: 50_000_000, peak: 50_000_000 },
      { stage: 'answer', startMs: 6, durationMs: 5, ok: true, kept: 10, peak: 10 },
    ],
  });
  for (let i = 0; i < 100; i++) end(9, 'loop', 9000 + i, 1);
  expect(part.rows[0]).toMatchObject({ more: 68, kept: 100 });
  expect(part.rows[0]?.calls).toHaveLength(32);
});

test('a finished tracker is one ledger entry per stage, bounded in rows and in trackers', () => {
  part.start();
  const stages = Array.from({ length: 60 }, (_, i) => ({
    stage: `s${i}`,
    calls: 2,
    failed: 0,
    totalMs: 10.4,
    peak: 7,
    kept: i,
    listeners: 0,
    timers: 1,
  }));
  trackers.publish({ startedAt: 5, stages });
  expect(noted).toHaveLength(50);
  expect(noted[0]).toEqual({
    stage: 's59',
    calls: 2,
    keptBytes: 59,
    peakBytes: 7,
    failed: 0,
    totalMs: 10,
    listeners: 0,
    timers: 1,
    startedAt: 5,
  });
  for (let i = 0; i < 100; i++) trackers.publish({ startedAt: 5, stages: stages.slice(0, 1) });
  expect(noted).toHaveLength(50 + 59);
});
