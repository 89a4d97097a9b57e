/**
 * The rule for a bare number of survivors, when no probe GC may be asked: two or more, for three minutes on end.
 *
 * One survivor may be a closed scope that a running callback still refers to. A number is taken once a minute, at a turn of the loop, so
 * one that stands for three minutes is no finaliser that waits for a turn: in recorded healthy heaps every such number was gone at the
 * next sample.
 */
export class RetainedRule {
  private readonly atLeast: number;
  private readonly forMs: number;
  private since = Number.NaN;

  constructor(options: { readonly atLeast?: number; readonly forMs?: number } = {}) {
    this.atLeast = options.atLeast ?? 2;
    this.forMs = options.forMs ?? 180_000;
  }

  /** Takes the number of survivors at a time in ms; true once the rule holds. */
  observe(atMs: number, count: number): boolean {
    if (!(count >= this.atLeast)) {
      this.since = Number.NaN;
      return false;
    }
    if (Number.isNaN(this.since)) this.since = atMs;
    return atMs - this.since >= this.forMs;
  }
}
