/** Growth of one scope in the window of a report over the ledger. */
export interface GrownRow {
  readonly scope: string;
  readonly bytesPerHour: number;
  /** Standard error of `bytesPerHour`. */
  readonly errorPerHour: number;
  readonly startBytes: number;
  readonly endBytes: number;
  readonly hours: number;
}

/** The part of a report that only `plimsoll report --since` writes. */
export interface HistorySection {
  readonly dir: string;
  readonly runs: number;
  /** Fastest growth first, those within their error left out. */
  readonly grown: readonly GrownRow[];
  readonly samples: number;
}
