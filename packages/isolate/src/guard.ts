/**
 * The rules of the guard thread in a task's process. V8's limit does not count buffers, and a task that never yields notices neither its
 * own memory nor the end of its parent.
 */

export interface GuardData {
  readonly parent: number;
  /** Resident bytes of the process before it loaded the task. */
  readonly baseBytes: number;
  /** Resident bytes above the base at which the process is ended. */
  readonly guardBytes: number;
  /** Shared state of both threads, at the places of `GuardPlace`. */
  readonly shared: SharedArrayBuffer;
  /** The descriptor on which the guard reports to the parent. */
  readonly fd: number;
}

interface GuardLook {
  readonly rssBytes: number;
  readonly parent: number;
}

/** Time between two checks. Memory that is filled at 2 GB/s grows by 50 MB in the shorter one. */
const busyLookMs = 25;
const idleLookMs = 250;

/**
 * Checks without a task after which the guard rests. Between successive tasks it does not rest, because waking it costs more than a check.
 */
const looksBeforeRest = 40;

/**
 * Int32 places of the shared memory. They hold whether a task runs, whether the guard rests, and how often it was woken. The guard waits on
 * the last one.
 */
export const GuardPlace = { busy: 0, resting: 1, wakes: 2 } as const;
export const guardPlaces = 3;

/** Decides how long the guard waits until its next check. While no task runs the guard rests, and marks that in the shared memory. */
export class GuardPace {
  readonly #shared: Int32Array;
  #idleLooks = 0;

  constructor(shared: Int32Array) {
    this.#shared = shared;
  }

  next(): number {
    this.#idleLooks = Atomics.load(this.#shared, GuardPlace.busy) === 1 ? 0 : this.#idleLooks + 1;
    const rests = this.#idleLooks > looksBeforeRest;
    Atomics.store(this.#shared, GuardPlace.resting, rests ? 1 : 0);
    return rests ? idleLookMs : busyLookMs;
  }
}

/** Tells the guard that a task begins or ends, and wakes it when it rests. */
export function tellGuard(shared: Int32Array, isBusy: boolean): void {
  Atomics.store(shared, GuardPlace.busy, isBusy ? 1 : 0);
  if (!isBusy || Atomics.load(shared, GuardPlace.resting) === 0) return;
  Atomics.add(shared, GuardPlace.wakes, 1);
  Atomics.notify(shared, GuardPlace.wakes);
}

/** Factor above the last reported peak at which a new peak is reported, so that a task reports at most a few dozen. */
const tellRatio = 1.05;

export class Guard {
  readonly #data: Pick<GuardData, 'parent' | 'baseBytes' | 'guardBytes'>;
  #toldBytes = 0;

  constructor(data: Pick<GuardData, 'parent' | 'baseBytes' | 'guardBytes'>) {
    this.#data = data;
  }

  /** The line for the parent, and whether the process has to end now. */
  judge({ rssBytes, parent }: GuardLook): { readonly line: string | undefined; readonly ends: boolean } {
    if (parent !== this.#data.parent) return { line: undefined, ends: true };
    const grown = Math.max(0, rssBytes - this.#data.baseBytes);
    if (grown > this.#data.guardBytes) return { line: `over ${grown}\n`, ends: true };
    if (grown < tellRatio * this.#toldBytes + 2 ** 20) return { line: undefined, ends: false };
    this.#toldBytes = grown;
    return { line: `peak ${grown}\n`, ends: false };
  }
}

/** The reports of the guard, on the parent's side. */
export class GuardReport {
  #rest = '';
  peakBytes = 0;
  isOver = false;

  take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = (lines.pop() as string).slice(-100);
    for (const line of lines) {
      const [word, figure] = line.split(' ');
      const bytes = Number(figure);
      if (!Number.isFinite(bytes)) continue;
      if (word === 'over') this.isOver = true;
      this.peakBytes = Math.max(this.peakBytes, bytes);
    }
  }
}
