/** Floor by uptime in earlier runs of the same program, from the ledger: what growth belongs to starting up. */
export type HistoryCurve = readonly { readonly uptimeMs: number; readonly floorBytes: number }[];

/** Reads a curve at rising uptimes; beyond its end it stays at the last value. */
export class HistoryReader {
  private readonly curve: HistoryCurve;
  private at = 0;

  constructor(curve: HistoryCurve) {
    this.curve = [...curve].sort((a, b) => a.uptimeMs - b.uptimeMs);
  }

  /** Whether there is a curve that says anything. */
  get isUseful(): boolean {
    return this.curve.length >= 2;
  }

  read(uptimeMs: number): number {
    const { curve } = this;
    while (this.at + 1 < curve.length && (curve[this.at + 1] as HistoryCurve[number]).uptimeMs <= uptimeMs)
      this.at++;
    const here = curve[this.at];
    const next = curve[this.at + 1];
    if (here === undefined) return 0;
    if (next === undefined || uptimeMs <= here.uptimeMs) return here.floorBytes;
    const share = (uptimeMs - here.uptimeMs) / (next.uptimeMs - here.uptimeMs);
    return here.floorBytes + share * (next.floorBytes - here.floorBytes);
  }
}
