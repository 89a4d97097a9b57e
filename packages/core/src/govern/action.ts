import type { LevelChange } from './level-change.ts';
import type { Level, Mode } from '../policy/policy.ts';

/** What an action gets to know. */
export interface ActionContext {
  readonly change: LevelChange;
  readonly options: Readonly<Record<string, unknown>>;
}

/** What an action did. */
export interface ActionEffect {
  /** One sentence with the numbers. */
  readonly text: string;
  readonly freedBytes: number;
}

/** Carries an action out. Throws when it could not. */
export type ActionRunner = (context: ActionContext) => ActionEffect;

/** One action as it goes out on the channel `plimsoll:action` and into the ledger. */
export interface ActionRecord {
  readonly action: string;
  readonly scope: string;
  readonly level: Level;
  /** `would-have` in shadow mode: nothing was done. */
  readonly outcome: 'done' | 'would-have' | 'failed';
  readonly mode: Mode;
  readonly text: string;
  readonly freedBytes: number;
  /** The rung: `ladder.warning (plimsoll.yaml:30)`. */
  readonly rule: string;
  readonly change: LevelChange;
  readonly at: number;
  readonly policy: { readonly revision: number; readonly sha256: string };
}
