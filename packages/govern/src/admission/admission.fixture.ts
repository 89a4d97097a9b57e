import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { Admission } from './admission.ts';
import type { AdmissionReading } from './admission-control.ts';

export const mib = 1024 ** 2;

/** mulberry32: the same numbers for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function readingOf(changes: Partial<AdmissionReading> = {}): AdmissionReading {
  return {
    level: 'emergency',
    usedBytes: 389 * mib,
    limitBytes: 400 * mib,
    source: 'heap',
    rule: 'limits.heap (plimsoll.yaml)',
    freeBytes: 11 * mib,
    inFlight: () => 3,
    ...changes,
  };
}

export const refuseAll = {
  except: [],
  retryAfterMs: { min: 5000, max: 20_000 },
  reason: 'ladder.emergency[1] (plimsoll.yaml:30)',
} as const;

/** Shed points with a clock and a chance of their own, governed, with one reading taken. */
export function governedAdmission(changes: Partial<AdmissionReading> = {}, seed = 1) {
  const clock = new FakeClock();
  let withinRun = false;
  const admission = new Admission({ clock, random: seededRandom(seed), isWithinRun: () => withinRun });
  admission.govern({ mode: 'enforce' });
  admission.observe(readingOf(changes));
  return {
    clock,
    admission,
    /** Sets whether the running code belongs to a run. */
    setWithinRun(value: boolean) {
      withinRun = value;
    },
  };
}

/** Number of tries, out of `count`, that are admitted. */
export function letIn(count: number, attempt: () => unknown): number {
  let admitted = 0;
  for (let i = 0; i < count; i++) {
    try {
      attempt();
      admitted++;
    } catch {
      // A refusal is not counted.
    }
  }
  return admitted;
}
