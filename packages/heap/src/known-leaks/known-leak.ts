/** A leak that is known and has a cure: what a report says beside the trace that matches it. */
export interface KnownLeak {
  /** Stable name for `ignore` lists and ledgers, e.g. `ai-stream-early-exit`. */
  readonly id: string;
  readonly framework: string;
  /** Versions that leak, as far as measured. */
  readonly versions: string;
  readonly title: string;
  readonly cure: string;
  readonly link: string;
}

/** A known leak and the path it shows as. */
export interface KnownLeakMatcher extends KnownLeak {
  /**
   * Steps of a trace that have to appear in this order; others may lie between. A part is the class or function of a step,
   * `.reference` for how it is held, or both as `reference : Class`; ` @ script` after a function names the file it comes
   * from. `*` stands for anything. ` x100` at the end asks for that many equal steps in a row.
   */
  readonly path: readonly string[];
}
