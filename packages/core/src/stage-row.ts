/** All calls of one stage together. */
export interface StageRow {
  readonly stage: string;
  readonly calls: number;
  readonly failed: number;
  readonly totalMs: number;
  /** Highest bytes of a root. */
  readonly peak: number;
  /** What all calls kept. */
  readonly kept: number;
  readonly listeners: number;
  readonly timers: number;
}
