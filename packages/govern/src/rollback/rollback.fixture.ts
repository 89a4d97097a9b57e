import type { Level } from '@plimsoll/core/internal/level';
import { parsePolicy } from '../policy/parse.ts';
import type { Policy } from '../policy/policy.ts';
import type { RollbackSignals } from './rollback-signals.ts';
import type { Usual } from './usual.ts';

export const mib = 1024 ** 2;

/** A process with floor, load and loop set by a test. Each call is one reading. */
export class Patient {
  nowMs = 0;
  floor = 50 * mib;
  majors = 1;
  loopDelayMs = 5;
  pressureRatio = 0.5;
  level: Level = 'normal';
  isOwnLimit = false;
  operations = 0;
  admitted = 0;
  blocked = 0;
  selfBytes = mib;
  selfCpuRatio = 0.001;
  /** Garbage that each major GC finds. */
  garbage = 20 * mib;

  signals(): RollbackSignals {
    const { garbage, ...signals } = this;
    return { ...signals, heapUsed: this.floor + garbage };
  }

  /** Runs for `seconds`: a reading per second, a major GC every five, `change` before each reading. */
  live(
    ms: number,
    take: (signals: RollbackSignals) => unknown,
    change: (patient: Patient) => void = () => {},
  ): void {
    const end = this.nowMs + ms;
    while (this.nowMs < end) {
      this.nowMs += 1000;
      this.operations += 10;
      this.admitted += 10;
      if (this.nowMs % 5000 === 0) this.majors += 1;
      change(this);
      take(this.signals());
    }
  }
}

export const calm: Usual = {
  spanMs: 600_000,
  operationsPerSecond: 10,
  bytesPerOperation: 0,
  gcEffectiveness: 0.95,
  unresponsiveRatio: 0,
};

/** A policy that enforces, with its text. */
export function written(revision: number, lines = ''): { readonly policy: Policy; readonly text: string } {
  const text = `apiVersion: plimsoll/v1\nrevision: ${revision}\nmode: enforce\n${lines}`;
  return { policy: parsePolicy(text, 'plimsoll.yaml'), text };
}
