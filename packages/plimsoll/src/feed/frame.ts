import type { Finding } from '@plimsoll/core/detect';
import type { Reading } from '@plimsoll/core/sense';
import type { Testimony } from '../proof/testimony.ts';

/** The level words, in rising order. */
export type LevelName = 'normal' | 'warning' | 'critical' | 'emergency';

/** One open scope as the live views show it. */
export interface ScopeRow {
  readonly path: string;
  readonly kind: string;
  readonly bytes: number;
  /** How the bytes are known: walked by the census, or charged by keepers. */
  readonly by: 'census' | 'account';
  readonly peakBytes: number;
  readonly budgetBytes: number | null;
  readonly level: LevelName;
  readonly ageMs: number;
}

/** The most one scope ever held. */
export interface PeakRow {
  readonly path: string;
  readonly peakBytes: number;
  readonly at: number;
}

/** A change of level, newest last. */
export interface LevelRow {
  readonly at: number;
  readonly scope: string;
  readonly from: LevelName;
  readonly level: LevelName;
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly source: string;
}

/** The heap as V8 keeps it, in bytes. */
export interface HeapUse {
  /** Resident pages of all spaces. */
  readonly physicalBytes: number;
  readonly usedBytes: number;
  readonly codeBytes: number;
  /** V8's hard limit for this heap. */
  readonly limitBytes: number;
  readonly detachedContexts: number;
}

/** What a governed process tells its watchers once per reading: one line of JSON on the feed. */
export interface Frame {
  readonly v: 1;
  readonly pid: number;
  readonly target: string;
  readonly node: string;
  readonly startedAt: number;
  readonly at: number;
  readonly reading: Reading;
  readonly level: LevelName;
  readonly limits: { readonly bytes: number; readonly source: string; readonly text: string };
  readonly unattributedBytes: number | null;
  /** The heaviest open scopes; `scopeCount` says how many there are in all. */
  readonly scopes: readonly ScopeRow[];
  readonly scopeCount: number;
  /** The scopes with the highest peaks since the start, closed ones too. */
  readonly peaks: readonly PeakRow[];
  readonly kinds: readonly {
    readonly kind: string;
    readonly open: number;
    readonly opened: number;
    readonly bytes: number;
  }[];
  readonly levels: readonly LevelRow[];
  /** V8's heap by what it has taken, not only by what is used. */
  readonly heap: HeapUse;
  /** What was found so far, gravest first. */
  readonly findings: readonly Finding[];
  /** What the floors say about growth; null when nobody watches them. */
  readonly growth: Testimony | null;
  readonly policy: {
    readonly file: string | null;
    readonly mode: string;
    readonly revision: number | null;
    readonly fault: string | null;
  };
  readonly ledger: {
    readonly dir: string | null;
    readonly droppedSamples: number;
    readonly fault: string | null;
  };
  readonly watermark: { readonly usedBytes: number; readonly rss: number; readonly level: LevelName };
  /** True on the frame written while the process exits. */
  readonly last: boolean;
}
