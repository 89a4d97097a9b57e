/** Log-sum-exp over the models of one side, with the best model's reading of the growth and the mean forecast of all. */
export class Tally {
  total = Number.NEGATIVE_INFINITY;
  best = Number.NEGATIVE_INFINITY;
  /** Name and noise variance of the best model. */
  name = '';
  variance = 0;
  growth = 0;
  rate = 0;
  onset = 0;
  /** Steps beside the growth. */
  steps = 0;
  /** Mean of one over the seconds to exhaustion, weighted by evidence. */
  speed = 0;
  #octaves = 0;
  #octavesSquared = 0;
  #last = 0;

  reset(): void {
    this.total = Number.NEGATIVE_INFINITY;
    this.best = Number.NEGATIVE_INFINITY;
  }

  /** Adds a model's log evidence; true when it is the best so far. */
  add(evidence: number, name: string, variance: number): boolean {
    if (!(evidence > Number.NEGATIVE_INFINITY)) return false;
    const top = Math.max(this.total, evidence);
    this.total = top + Math.log(Math.exp(this.total - top) + Math.exp(evidence - top));
    this.#last = evidence;
    if (evidence <= this.best) return false;
    this.best = evidence;
    this.name = name;
    this.variance = variance;
    return true;
  }

  /** Adds the forecast of the model added last; that of the first one replaces what was before. */
  foresee(rate: number, curve: number, room: number): void {
    if (!(rate > 0)) return;
    const tte = (2 * room) / (rate + Math.sqrt(rate * rate + 4 * curve * room));
    const share = Math.exp(this.#last - this.total);
    this.speed += share * (1 / tte - this.speed);
    const octaves = Math.log2(tte);
    this.#octaves += share * (octaves - this.#octaves);
    this.#octavesSquared += share * (octaves * octaves - this.#octavesSquared);
  }

  /** How far the models differ over the time to exhaustion: the variance of its binary logarithm. */
  get disagreement(): number {
    return Math.max(0, this.#octavesSquared - this.#octaves * this.#octaves);
  }
}

/** Both sides of a test: what the harmless models and the leak models have gathered so far. */
export class Sides {
  readonly harmless = new Tally();
  readonly leaking = new Tally();

  reset(): void {
    this.harmless.reset();
    this.leaking.reset();
  }

  /** Log odds of leak against harmless, before the cost of a leak as such. */
  get odds(): number {
    return this.leaking.total - this.harmless.total;
  }
}
