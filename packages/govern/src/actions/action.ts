import type { ActionName, OptionsOf } from '../policy/actions.ts';
import type { Policy } from '../policy/policy.ts';
import type { Level, Mode } from '@plimsoll/core/internal/level';
import type { StopGuard } from './stop-guard.ts';
import type { LevelChange } from '../level/level-change.ts';
import type { Levers } from './levers.ts';

/** What an action gets to know. */
export interface ActionContext<Options = unknown> {
  /** Scope path of the subject; "process" for the process itself. */
  readonly scope: string;
  readonly level: Level;
  /** The change that brought the level. */
  readonly change: LevelChange;
  /** Of the limit that binds, now. */
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly options: Options;
  readonly policy: Policy;
  readonly levers: Levers;
  /** What may still be stopped. */
  readonly guard: StopGuard;
  /** Monotonic ms. */
  readonly nowMs: number;
  /** Whom an approver agreed to; nobody else may be hit. Absent when the action chooses. */
  readonly victims?: readonly string[] | undefined;
  /** How long it may take. */
  readonly timeoutMs: number;
  /** Aborted when that time is over. */
  readonly signal: AbortSignal;
}

/** What an action did. */
export interface ActionEffect {
  /** One sentence with the numbers. */
  readonly text: string;
  /** What it let go of by its own count; what that freed is measured later. */
  readonly releasedBytes: number;
  /** There was nothing to do, or no lever to do it with. */
  readonly isSkipped?: boolean;
}

/** What an action would do: shadow mode reports it, and an approver decides by it. */
export interface ActionPlan {
  readonly text: string;
  /** At most; what is leased, vetoed or shared stays. */
  readonly projectedBytes: number;
  /** Whom it would hit; part of what an approver agrees to. */
  readonly victims?: readonly string[];
}

/** One action that a ladder may name. */
export interface Action<Options = unknown> {
  /** Never changes anything. */
  plan(context: ActionContext<Options>): ActionPlan;
  /** Carries it out. Throws or rejects when it could not. */
  run(context: ActionContext<Options>): ActionEffect | Promise<ActionEffect>;
  /** For an action that stays in force. Called once per tick with the pressure. */
  follow?(context: ActionContext<Options>): void;
  /** For what stays in force: ends it. */
  release?(levers: Levers): void;
  /** Least time between two runs; without it the rest between two rounds of the ladder. */
  cooldownMs?(options: Options): number;
  /** Longest run when the rung says nothing, 10 s otherwise. */
  readonly timeoutMs?: number;
}

export type ActionOf<Name extends ActionName> = Action<OptionsOf<Name>>;

/** Nothing was done, and why. */
export function skipped(text: string): ActionEffect {
  return { text, releasedBytes: 0, isSkipped: true };
}

/** True when a person asked for the action; the rule then says who: `by hand (user:ann)`. */
export function isByHand({ rule }: Pick<LevelChange, 'rule'>): boolean {
  return rule.startsWith('by hand');
}

/** How far an action has come; the last four are final. */
export type ActionOutcome = 'waiting' | 'running' | 'settling' | 'done' | 'would-have' | 'skipped' | 'failed';

/** One action as it goes out on the channel `plimsoll:action` and into the ledger; a later record with the same id replaces an earlier one. */
export interface ActionRecord {
  readonly id: string;
  /** A name of the policy, or `stuck`, `self-disable` or `ladder.release` for what the ladder does by itself. */
  readonly action: string;
  readonly scope: string;
  readonly level: Level;
  /** `would-have` in shadow mode: nothing was done. */
  readonly outcome: ActionOutcome;
  readonly mode: Mode;
  readonly text: string;
  /** What the action let go of by its own count, or would have at most. */
  readonly releasedBytes: number;
  /** Fall of the live bytes by the next major GC; null until then, and when none came in time. Below zero when growth went on faster. */
  readonly freedBytes: number | null;
  /** The rung: `ladder.warning (plimsoll.yaml:30)`. */
  readonly rule: string;
  readonly victims?: readonly string[];
  readonly change: LevelChange;
  /** Wall time of the beginning. */
  readonly at: number;
  readonly policy: { readonly revision: number; readonly sha256: string };
}
