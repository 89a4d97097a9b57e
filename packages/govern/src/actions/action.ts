import type { ActionName, OptionsOf } from '../policy/actions.ts';
import type { Policy } from '../policy/policy.ts';
import type { Level, Mode } from '@plimsoll/core/internal/level';
import type { StopGuard } from './stop-guard.ts';
import type { LevelChange } from '../level/level-change.ts';
import type { Levers } from './levers.ts';

/** Input of an action. */
export interface ActionContext<Options = unknown> {
  /** Scope path of the subject; "process" for the process itself. */
  readonly scope: string;
  readonly level: Level;
  /** The change that brought the level. */
  readonly change: LevelChange;
  /** Bytes in use of the limit that binds, now. */
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly options: Options;
  readonly policy: Policy;
  readonly levers: Levers;
  /** Bounds on the scopes that may still be stopped. */
  readonly guard: StopGuard;
  /** Monotonic ms. */
  readonly nowMs: number;
  /** Paths of the scopes that an approver agreed to; no other scope may be touched. Absent when the action chooses. */
  readonly victims?: readonly string[] | undefined;
  /** How long it may take. */
  readonly timeoutMs: number;
  /** Aborted when that time is over. */
  readonly signal: AbortSignal;
}

/** The result of an action. */
export interface ActionEffect {
  /** One sentence with the numbers. */
  readonly text: string;
  /** Bytes that it released, by its own count. The freed memory is measured later. */
  readonly releasedBytes: number;
  /** True when there was nothing to do or the lever was missing. */
  readonly isSkipped?: boolean;
}

/** What an action would do: shadow mode reports it, and an approver decides by it. */
export interface ActionPlan {
  readonly text: string;
  /** An upper bound: leased, vetoed or shared memory stays. */
  readonly projectedBytes: number;
  /** Paths of the scopes that it would touch. An approver agrees to exactly these. */
  readonly victims?: readonly string[];
}

/** One action that a ladder may name. */
export interface Action<Options = unknown> {
  /** Never changes anything. */
  plan(context: ActionContext<Options>): ActionPlan;
  /** Carries it out. Throws or rejects when it could not. */
  run(context: ActionContext<Options>): ActionEffect | Promise<ActionEffect>;
  /** Only for an action that stays in force: called once per tick with the pressure. */
  follow?(context: ActionContext<Options>): void;
  /** Only for an action that stays in force: ends it. */
  release?(levers: Levers): void;
  /** Least time between two runs. Default: the pause between two rounds of the ladder. */
  cooldownMs?(options: Options): number;
  /** Longest run when the rung gives none. Default 10 s. */
  readonly timeoutMs?: number;
}

export type ActionOf<Name extends ActionName> = Action<OptionsOf<Name>>;

/** An effect that says why nothing was done. */
export function skipped(text: string): ActionEffect {
  return { text, releasedBytes: 0, isSkipped: true };
}

/** True when a person asked for the action. The rule then names the person: `by hand (user:ann)`. */
export function isByHand({ rule }: Pick<LevelChange, 'rule'>): boolean {
  return rule.startsWith('by hand');
}

/** State of an action. The last four are final. */
export type ActionOutcome = 'waiting' | 'running' | 'settling' | 'done' | 'would-have' | 'skipped' | 'failed';

/**
 * One action as published on the channel `plimsoll:action` and into the ledger; a later record with the same id replaces an earlier one.
 */
export interface ActionRecord {
  readonly id: string;
  /** A name of the policy, or `stuck`, `self-disable` or `ladder.release` for the ladder's own steps. */
  readonly action: string;
  readonly scope: string;
  readonly level: Level;
  /** `would-have` in shadow mode: nothing was done. */
  readonly outcome: ActionOutcome;
  readonly mode: Mode;
  readonly text: string;
  /** Bytes that the action released by its own count; for `would-have` an upper bound. */
  readonly releasedBytes: number;
  /** Fall of the live bytes until the next major GC. Null before it, and when none came in time. Negative when the program grew faster. */
  readonly freedBytes: number | null;
  /** The rung: `ladder.warning (plimsoll.yaml:30)`. */
  readonly rule: string;
  readonly victims?: readonly string[];
  readonly change: LevelChange;
  /** Wall time of the beginning. */
  readonly at: number;
  readonly policy: { readonly revision: number; readonly sha256: string };
}
