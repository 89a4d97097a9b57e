/** The observations of the ten minutes that run: the lowest one for floors, their mean for what is sampled evenly. */
export class Bucket {
  t = 0;
  y = 0;
  load = 0;
  requests = 0;
  history = 0;
  attributed = 0;
  count = 0;
  private readonly lowest: boolean;

  constructor(lowest: boolean) {
    this.lowest = lowest;
  }

  add(t: number, y: number, load: number, requests: number, history: number, attributed: number): void {
    if (this.lowest && this.count > 0 && y >= this.y) return;
    const share = this.lowest ? 1 : 1 / (this.count + 1);
    this.t += share * (t - this.t);
    this.y += share * (y - this.y);
    this.load += share * (load - this.load);
    this.requests += share * (requests - this.requests);
    this.history += share * (history - this.history);
    this.attributed += share * (attributed - this.attributed);
    this.count++;
  }
}
