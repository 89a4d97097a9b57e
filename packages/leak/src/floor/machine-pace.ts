import { readFileSync } from 'node:fs';

/** CPU time of the main thread and how long it waited for a CPU, both in ns. */
interface Schedule {
  readonly ran: number;
  readonly waited: number;
}

const leastRan = 20e6;
const kept = 3;

/**
 * Slowdown of the main thread by other load: (ran + waited) / ran. It is 1 on an idle machine, and about 5 with four other busy programs
 * per core or in a container with a fifth of a core. Linux only; elsewhere it is always 1.
 */
export class MachinePace {
  readonly #read: () => string;
  readonly #ratios: number[] = [];
  #last: Schedule | undefined;

  constructor(read: () => string = () => readFileSync('/proc/self/schedstat', 'utf8')) {
    this.#read = read;
  }

  /** Takes a measurement; call it about once a second. */
  look(): void {
    const now = this.#schedule();
    const last = this.#last;
    if (now === undefined) return;
    if (last === undefined) {
      this.#last = now;
      return;
    }
    const ran = now.ran - last.ran;
    if (ran < leastRan) return;
    this.#last = now;
    this.#ratios.push((ran + Math.max(0, now.waited - last.waited)) / ran);
    if (this.#ratios.length > kept) this.#ratios.shift();
  }

  /** The mean of the last measurements, for stops without a promised length. */
  get meanSlowness(): number {
    return this.#ratios.reduce((sum, ratio) => sum + ratio, 0) / this.#ratios.length || 1;
  }

  /** The slowest of the last measurements; 1 without any. */
  get slowness(): number {
    return Math.max(1, ...this.#ratios);
  }

  #schedule(): Schedule | undefined {
    try {
      const [ran, waited] = this.#read().split(' ').map(Number);
      return Number.isFinite(ran) && Number.isFinite(waited)
        ? { ran: ran as number, waited: waited as number }
        : undefined;
    } catch {
      return undefined;
    }
  }
}
