import { expect, test } from 'vitest';
import { Strain } from './strain.ts';
import type { StrainReading } from './strain.ts';

const group = { version: 2 as const, group: '/', workingSet: 1, limit: 2, limitFile: 'memory.max' };

/** One reading a second with so much collector time and so many failed charges and major faults in each. */
function after(
  seconds: number,
  each: { pauseMs?: number; major?: number; failures?: number; faults?: number },
): StrainReading {
  const strain = new Strain();
  let found: StrainReading = { heap: false, cgroup: false };
  for (let i = 0; i < seconds; i++) {
    found = strain.take(
      {
        gc: { major: each.major ?? 0, minor: 0, pauseMs: each.pauseMs ?? 0 },
        cgroup: { ...group, failures: i * (each.failures ?? 0), majorFaults: i * (each.faults ?? 0) },
      },
      1000 * i,
    );
  }
  return found;
}

test('a collector that takes half of the time strains the heap, one that takes a tenth does not', () => {
  expect(after(8, { pauseMs: 500, major: 2 })).toEqual({ heap: true, cgroup: false });
  expect(after(8, { pauseMs: 100, major: 2 }).heap).toBe(false);
  // Scavenges of a busy server are no thrashing.
  expect(after(8, { pauseMs: 500 }).heap).toBe(false);
});

test('a group whose pages are taken and read back is strained; page cache that is reclaimed is not', () => {
  expect(after(8, { failures: 70_000, faults: 70 })).toEqual({ heap: false, cgroup: true });
  expect(after(8, { failures: 70_000 }).cgroup).toBe(false);
  expect(after(8, { faults: 500 }).cgroup).toBe(false);
});

test('two readings say nothing, and what is older than ten seconds is forgotten', () => {
  expect(after(2, { pauseMs: 900, major: 3 }).heap).toBe(false);
  const strain = new Strain();
  const calm = { gc: { major: 0, minor: 0, pauseMs: 0 }, cgroup: undefined };
  const busy = { gc: { major: 2, minor: 0, pauseMs: 900 }, cgroup: undefined };
  for (let i = 0; i < 8; i++) strain.take(busy, 1000 * i);
  expect(strain.take(busy, 8000).heap).toBe(true);
  for (let i = 9; i < 19; i++) strain.take(calm, 1000 * i);
  expect(strain.take(calm, 19_000).heap).toBe(false);
});
