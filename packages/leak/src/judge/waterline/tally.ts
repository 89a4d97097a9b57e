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
  /** Mean of one over the seconds to exhaustion, weighted by analysis. */
  speed = 0;
  private octaves = 0;
  private octavesSquared = 0;
  private last = 0;

  reset(): void {
    this.total = Number.NEGATIVE_INFINITY;
    this.best = Number.NEGATIVE_INFINITY;
  }

  /** Adds a model's log analysis; true when it is the best so far. */
  add(analysis: number, name: string, variance: number): boolean {
    if (!(analysis > Number.NEGATIVE_INFINITY)) return false;
    const top = Math.max(this.total, analysis);
    this.total = top + Math.log(Math.exp(this.total - top) + Math.exp(analysis - top));
    this.last = analysis;
    if (analysis <= this.best) return false;
    this.best = analysis;
    this.name = name;
    this.variance = variance;
    return true;
  }

  /** Adds the forecast of the model added last; that of the first one replaces what was before. */
  foresee(rate: number, curve: number, room: number): void {
    if (!(rate > 0)) return;
    const tte = (2 * room) / (rate + Math.sqrt(rate * rate + 4 * curve * room));
    const share = Math.exp(this.last - this.total);
    this.speed += share * (1 / tte - this.speed);
    const octaves = Math.log2(tte);
    this.octaves += share * (octaves - this.octaves);
    this.octavesSquared += share * (octaves * octaves - this.octavesSquared);
  }

  /** How far the models differ over the time to exhaustion: the variance of its binary logarithm. */
  get disagreement(): number {
    return Math.max(0, this.octavesSquared - this.octaves * this.octaves);
  }
}
