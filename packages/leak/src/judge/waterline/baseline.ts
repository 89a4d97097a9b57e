const settleMs = 3 * 3_600_000;

/** The lowest level that a noisy quantity has held for hours: its lowest single value would be its noise. */
export class Baseline {
  least = Number.POSITIVE_INFINITY;
  private mean = Number.NaN;
  private lastMs = 0;

  add(uptimeMs: number, value: number): void {
    if (!Number.isFinite(value)) return;
    if (Number.isNaN(this.mean)) this.mean = value;
    else this.mean += (1 - Math.exp(Math.min(0, this.lastMs - uptimeMs) / settleMs)) * (value - this.mean);
    this.lastMs = Math.max(this.lastMs, uptimeMs);
    this.least = Math.min(this.least, this.mean);
  }
}
