/** Environment variable with the beginning of the file name that each process of a gated command writes. */
export const countFileVariable = 'PLIMSOLL_GATE_FILE';

/** The record of one process of a gated command. */
export interface CountRecord {
  readonly pid: number;
  /** HTTP requests served. */
  readonly calls: number;
  /** Live bytes after full collections, against requests served. */
  readonly points: readonly (readonly [calls: number, bytes: number])[];
  readonly peakBytes: number;
}
