import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@plimsoll/ledger';
import { beforeEach, expect, test } from 'vitest';
import { earlierCurve } from './earlier-runs.ts';

const MiB = 1024 ** 2;
const step = 10 * 60_000;
let dir: string;
let startedAt: number;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-earlier-'));
  startedAt = Date.now() - 6 * 24 * 3_600_000;
});

/** Writes one run of six hours whose floor follows a shape. */
async function run(
  pid: number,
  floorMiB: (hours: number) => number,
  command = 'node server.js',
): Promise<void> {
  const ledger = openLedger({ dir });
  const at = (startedAt += 12 * 3_600_000);
  await ledger.audit({ kind: 'start', at, body: { pid, command } });
  for (let i = 0; i < 36; i++) {
    const floor = floorMiB(i / 6) * MiB;
    const rest = { heapUsed: floor, external: 0, arrayBuffers: 0, rss: floor, loopDelayMs: 0 };
    ledger.sample({ at: at + i * step, scope: 'process', usedBytes: floor, limit: 1e9, floor, ...rest });
  }
  await ledger.close();
}

async function leakFound(pid: number): Promise<void> {
  const ledger = openLedger({ dir });
  await ledger.audit({ kind: 'finding', body: { pid, severity: 'high' } });
  await ledger.close();
}

const warmUp = (hours: number): number => 100 - 60 * Math.exp(-2 * hours);

test('the median of earlier runs, by uptime', async () => {
  await run(1, (hours) => warmUp(hours) - 5);
  await run(2, warmUp);
  await run(3, (hours) => warmUp(hours) + 5);
  await run(4, () => 500, 'node other.js');
  const curve = earlierCurve(dir, 'node server.js', Date.now());
  expect(curve.length).toBeGreaterThan(30);
  expect((curve[0]?.floorBytes ?? 0) / MiB).toBeCloseTo(40, -1);
  expect((curve.at(-1)?.floorBytes ?? 0) / MiB).toBeCloseTo(100, -1);
  expect(curve.at(-1)?.uptimeMs).toBeGreaterThan(5 * 3_600_000);
  expect(earlierCurve(dir, 'node unknown.js', Date.now())).toEqual([]);
});

test('a run that leaked and one that has not come to rest are no example', async () => {
  await run(1, warmUp);
  await leakFound(1);
  expect(earlierCurve(dir, 'node server.js', Date.now())).toEqual([]);
  await run(2, (hours) => 100 + 10 * hours);
  expect(earlierCurve(dir, 'node server.js', Date.now())).toEqual([]);
});

test('without a ledger there is nothing to learn', () => {
  expect(() => earlierCurve(join(dir, 'none'), 'x', 0)).toThrow('there is no ledger here');
});
