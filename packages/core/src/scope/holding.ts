import type { ScopeRecord } from './scope-record.ts';

/** The bytes of all open scopes of one kind. */
export interface KindBytes {
  bytes: number;
}

/** What one open scope holds, by walks and charges. It hangs on the account, so that nothing is looked up by id. */
export class Holding {
  readonly record: ScopeRecord;
  /** Of the parent; undefined when that is the process. */
  readonly up: Holding | undefined;
  readonly kind: KindBytes;
  /** Who keeps it up to date. */
  readonly keeper: object;
  /** The scope alone, and the part of it that the census walked. */
  own = 0;
  ownWalked = 0;
  /** Between these the walk says that the truth lies. */
  ownLow = 0;
  ownHigh = 0;
  /** What the account charges where that is more than the census walked. */
  ownCharged = 0;
  /** The scope with everything inside it, and the part that the census walked. */
  bytes = 0;
  walked = 0;
  /** Highest `bytes` at a reading. */
  peak = 0;
  /** Wall time of the census' walk of this scope; undefined before the first. */
  measuredAt: number | undefined = undefined;
  /** The last refresh that moved `bytes`. */
  movedIn = 0;
  isOpen = true;
  /** Among the heaviest. */
  isHeavy = false;

  constructor(record: ScopeRecord, up: Holding | undefined, kind: KindBytes, keeper: object) {
    this.record = record;
    this.up = up;
    this.kind = kind;
    this.keeper = keeper;
  }
}
