/**
 * The rule for a bare number of survivors, when no probe GC may be asked: two or more, for ten minutes on end.
 *
 * One survivor may be a closed scope that a running callback still refers to; a number that stands for ten minutes is neither that nor
 * a finaliser that waits for a free turn of the loop.
 */
export class RetainedRule {
  private readonly atLeast: number;
  private readonly forMs: number;
  private since = Number.NaN;

  constructor(options: { readonly atLeast?: number; readonly forMs?: number } = {}) {
    this.atLeast = options.atLeast ?? 2;
    this.forMs = options.forMs ?? 600_000;
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
