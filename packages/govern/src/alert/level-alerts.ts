import type { LevelChange } from '../level/level-change.ts';
import { levels } from '@plimsoll/core/internal/level';
import { alertLevels } from '../policy/sections/alert-rules.ts';
import { formatUsedOfLimit } from '@plimsoll/core/units';
import { formatDuration } from '@plimsoll/core/units';
import type { AlertDetails, Offender } from './alert.ts';
import type { AlertLevel } from '../policy/sections/alert-rules.ts';
import { kindOfScope } from './scope-kind.ts';

const mostOffenders = 2048;
const mostKinds = 64;
/** Kinds beyond the bound share this one. */
const otherKind = 'other';
const shownOffenders = 5;
const shownActions = 5;
const mostActions = 32;

interface RaisedScope extends Offender {
  readonly kind: string;
  readonly rank: number;
  readonly source: string;
  readonly timeToLimitMs: number | undefined;
}

/** The effect of a level change on the alerts of its kind. */
interface LevelNews {
  readonly kind: string;
  readonly began: readonly AlertLevel[];
  readonly ended: readonly AlertLevel[];
}

/** The level of each kind of scope and the scopes behind it. It turns many sessions into one alert. */
export class LevelAlerts {
  readonly #raised = new Map<string, RaisedScope>();
  /** Scopes of a kind at or above warning, critical and emergency. */
  readonly #counts = new Map<string, [number, number, number]>();
  #actions: { readonly kind: string; readonly text: string }[] = [];
  #untracked = 0;

  /** Raised scopes that found no room. */
  get untracked(): number {
    return this.#untracked;
  }

  /** Takes a change and returns its kind, with the levels that now fire and those that no longer do. */
  take(change: LevelChange): LevelNews {
    const before = this.#raised.get(change.scope);
    const rank = levels.indexOf(change.level);
    const kind = before?.kind ?? this.#kindOf(change.scope);
    if (rank === 0) this.#raised.delete(change.scope);
    else if (before !== undefined || this.#raised.size < mostOffenders || kind === 'process')
      this.#raised.set(change.scope, {
        scope: change.scope,
        kind,
        rank,
        level: change.level,
        usedBytes: change.usedBytes,
        limitBytes: change.limitBytes,
        source: change.source,
        timeToLimitMs: change.timeToLimitMs,
      });
    else {
      this.#untracked++;
      return { kind, began: [], ended: [] };
    }
    return this.#recount(kind, before?.rank ?? 0, rank);
  }

  /** Remembers an action for the alerts of its kind. */
  note(scope: string, text: string): void {
    this.#actions.push({ kind: this.#kindOf(scope), text: text.slice(0, 300) });
    if (this.#actions.length > mostActions) this.#actions = this.#actions.slice(-mostActions);
  }

  describe(kind: string, level: AlertLevel): AlertDetails {
    const rank = levels.indexOf(level);
    const all = [...this.#raised.values()].filter((each) => each.kind === kind && each.rank >= rank);
    const worst = all.sort(
      (a, b) => b.rank - a.rank || b.usedBytes / b.limitBytes - a.usedBytes / a.limitBytes,
    );
    const offenders = worst.slice(0, shownOffenders).map(({ scope, level, usedBytes, limitBytes }) => ({
      scope,
      level,
      usedBytes,
      limitBytes,
    }));
    return {
      summary: summaryOf(kind, level, worst),
      offenders,
      offenderCount: worst.length,
      actions: this.#actions
        .filter((each) => each.kind === kind)
        .slice(-shownActions)
        .map(({ text }) => text),
    };
  }

  #kindOf(scope: string): string {
    const kind = kindOfScope(scope);
    return kind === 'process' || this.#counts.has(kind) || this.#counts.size < mostKinds ? kind : otherKind;
  }

  #recount(kind: string, from: number, to: number): LevelNews {
    const counts = this.#counts.get(kind) ?? [0, 0, 0];
    const before = [...counts];
    for (let i = 0; i < 3; i++) counts[i as 0 | 1 | 2] += Number(to > i) - Number(from > i);
    if (counts[0] === 0) this.#counts.delete(kind);
    else this.#counts.set(kind, counts);
    return {
      kind,
      began: alertLevels.filter((_, i) => before[i] === 0 && (counts[i] as number) > 0),
      ended: alertLevels.filter((_, i) => (before[i] as number) > 0 && counts[i] === 0),
    };
  }
}

function summaryOf(kind: string, level: AlertLevel, worst: readonly RaisedScope[]): string {
  const [first] = worst;
  if (first === undefined) return `${kind} below ${level} again.`;
  const held = formatUsedOfLimit(first.usedBytes, first.limitBytes);
  const forecast =
    first.timeToLimitMs === undefined || !Number.isFinite(first.timeToLimitMs)
      ? ''
      : `; at this growth the limit is reached in ${formatDuration(first.timeToLimitMs)}`;
  if (kind === 'process')
    return `the process holds ${held} by ${first.source}, level ${first.level}${forecast}.`;
  const many =
    worst.length === 1 ? `1 scope of kind ${kind} is` : `${worst.length} scopes of kind ${kind} are`;
  return `${many} at ${level} or above; the worst, ${first.scope}, holds ${held}${forecast}.`;
}
