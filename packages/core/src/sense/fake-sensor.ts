import { partlyKnown, sensedNumbers } from './reading-fields.ts';
import type { Sensor, Vitals } from './sensor.ts';

const mib = 1024 ** 2;

/** A sensor whose next readings a test writes: set `vitals`, or `fail` to make it throw. */
export class FakeSensor implements Sensor {
  readonly retainedBytes = 0;
  /** What the next read returns. */
  vitals: Vitals;
  /** Thrown by the next reads when set. */
  fail: Error | undefined;
  reads = 0;
  stopped = false;

  constructor(vitals: Partial<Vitals> = {}) {
    this.vitals = {
      ...sensedNumbers(
        partlyKnown({
          heapUsed: 40 * mib,
          external: 2 * mib,
          arrayBuffers: mib,
          rss: 90 * mib,
          loopUtilization: 0.1,
        }),
      ),
      heapSizeLimit: 560 * mib,
      cgroup: undefined,
      floor: undefined,
      gc: { major: 0, minor: 0, pauseMs: 0 },
      ...vitals,
    };
  }

  /** Changes part of what the next reads return. */
  set(change: Partial<Vitals>): void {
    this.vitals = { ...this.vitals, ...change };
  }

  read(): Vitals {
    this.reads++;
    if (this.fail !== undefined) throw this.fail;
    return this.vitals;
  }

  stop(): void {
    this.stopped = true;
  }
}
