import { readFileSync } from 'node:fs';

/** CPU time of the main thread and how long it waited for a CPU, both in ns. */
interface Schedule {
  readonly ran: number;
  readonly waited: number;
}

const leastRan = 20e6;
const kept = 3;

/**
 * How busy the machine is, as the main thread feels it: (ran + waited) / ran. An idle machine gives 1; one with four busy programs per core
 * gives about 5, and so does a container that is held to a fifth of a core. Linux only; elsewhere it is always 1.
 */
export class MachinePace {
  readonly #read: () => string;
  readonly #ratios: number[] = [];
  #last: Schedule | undefined;

  constructor(read: () => string = () => readFileSync('/proc/self/schedstat', 'utf8')) {
    this.#read = read;
  }

  /** Takes a look; call it about once a second. */
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

  /** The mean of the last looks, for what nobody was promised to wait for. */
  get meanSlowness(): number {
    return this.#ratios.reduce((sum, ratio) => sum + ratio, 0) / this.#ratios.length || 1;
  }

  /** The slowest of the last looks; 1 when nothing is known. */
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
