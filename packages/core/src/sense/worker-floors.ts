import type { FloorAnswer } from './worker-side.ts';

/** Live bytes of a worker at one moment. Its work is the time for which its event loop was busy. */
export interface WorkerFloor {
  readonly at: number;
  readonly work: number;
  readonly bytes: number;
}

const mostFloors = 96;
/** A full collection takes 0.3 to 1 ms per MB; the first guess is the slow end. */
const firstMsPerByte = 1 / 1e6;
const longestPauseMs = 200;
/** Most share of a worker's time for collections that were asked for. */
const costRatio = 0.01;

/** The floors of one worker thread, and when the next one may be asked for. */
export class WorkerFloors {
  #floors: WorkerFloor[] = [];
  #msPerByte = firstMsPerByte;
  #pauseMs = 0;
  #askedAt = Number.NEGATIVE_INFINITY;

  /** True when another floor fits; a worker that has not answered is not asked twice within the rest. */
  isDue(nowMs: number, heapUsed: number): boolean {
    if (heapUsed * this.#msPerByte > longestPauseMs) return false;
    if (nowMs - this.#askedAt < this.#pauseMs / costRatio) return false;
    this.#askedAt = nowMs;
    return true;
  }

  take({ floorBytes, pauseMs, activeMs }: FloorAnswer, at: number): void {
    this.#pauseMs = pauseMs;
    this.#msPerByte = Math.max(firstMsPerByte / 10, pauseMs / Math.max(1, floorBytes));
    this.#floors.push({ at, work: activeMs, bytes: floorBytes });
    if (this.#floors.length > mostFloors)
      this.#floors = this.#floors.filter((_, i) => i % 2 === 0 || i > mostFloors / 2);
  }

  get list(): readonly WorkerFloor[] {
    return this.#floors;
  }
}
