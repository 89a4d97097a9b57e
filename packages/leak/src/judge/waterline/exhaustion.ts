import { parameters as p } from './parameters.ts';

const hour = 3600;
const hoursPerDay = 24;
const day = hoursPerDay * hour;

/**
 * The load of the last day: its peak in each hour. A limit is met at a peak of the load and not at its mean, and the peaks come back
 * at the same hours of the next days.
 */
export class LoadCycle {
  readonly #peaks = new Float32Array(hoursPerDay);
  #begun = -1;
  #hour = -1;
  #now = 0;
  #last = 0;

  add(t: number, load: number): void {
    const at = Math.floor(t / hour);
    if (this.#begun < 0) this.#begun = at;
    for (let gap = Math.max(this.#hour, at - hoursPerDay) + 1; gap < at; gap++)
      this.#peaks[gap % hoursPerDay] = 0;
    const slot = at % hoursPerDay;
    if (at !== this.#hour || load > (this.#peaks[slot] as number)) this.#peaks[slot] = load;
    this.#hour = at;
    this.#now = t;
    this.#last = load;
  }

  /** The highest load of the last day. */
  get peak(): number {
    let most = this.#last;
    for (let slot = 0; slot < hoursPerDay; slot++) most = Math.max(most, this.#peaks[slot] as number);
    return most;
  }

  /**
   * Seconds until growth at `rate` and what the load takes beside it fill `room`, which is counted without load. The load of the last
   * day comes again every day.
   */
  exhaustion(room: number, perLoad: number, rate: number): number {
    let first = (room - perLoad * this.#last) / rate;
    const seen = Math.min(hoursPerDay - 1, this.#hour - this.#begun);
    for (let back = 1; back <= seen; back++) {
      const hourAt = this.#hour - back;
      const from = (room - perLoad * (this.#peaks[hourAt % hoursPerDay] as number)) / rate;
      const since = this.#now - (hourAt + 0.5) * hour;
      const days = Math.max(1, Math.ceil((from + since) / day));
      first = Math.min(first, days * day - since);
    }
    return Math.max(60, first);
  }
}

/**
 * The time to exhaustion that is likeliest within a factor of two of the truth, given the straight estimate in seconds.
 *
 * A forecast at the first alarm is off by a factor. The factor is larger when the models disagree and when the growth is small against
 * the wander. The alarms of short lives are raised on their steepest stretches, those of long lives on calm ones. So the estimate is
 * drawn towards what is known before any data: 48 h, give or take 1.25 octaves. `disagreement` is the variance of the binary logarithm
 * among the models, `clarity` the growth divided by the wander.
 */
export function temper(seconds: number, disagreement: number, clarity: number): number {
  if (!(seconds > 0)) return seconds;
  const variance = p.tteDoubt + disagreement + (p.tteBlur / Math.max(1, clarity)) ** 2;
  const weight = variance / (variance + p.tteSpread * p.tteSpread);
  return seconds ** (1 - weight) * p.tteMedian ** weight;
}
