import type { KeeperClock } from './clock.ts';

/** The one timer of a keeper: set to the earliest moment anything is due. */
export class Alarm {
  private readonly clock: KeeperClock;
  private readonly ring: () => void;
  private dueAt = Number.POSITIVE_INFINITY;
  private cancel: (() => void) | undefined;

  constructor(clock: KeeperClock, ring: () => void) {
    this.clock = clock;
    this.ring = ring;
  }

  /** Makes sure that the alarm rings at `time` (monotonic ms) or before. */
  at(time: number): void {
    if (time >= this.dueAt) return;
    this.cancel?.();
    this.dueAt = time;
    this.cancel = this.clock.after(Math.max(0, time - this.clock.monotonic()), () => {
      this.dueAt = Number.POSITIVE_INFINITY;
      this.cancel = undefined;
      this.ring();
    });
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
    this.dueAt = Number.POSITIVE_INFINITY;
  }
}
