import { levels } from '@plimsoll/core/internal/level';
import type { Level } from '@plimsoll/core/internal/level';

/** Counts of one class: the process, or all scopes of a kind. */
export interface ClassTally {
  /** Rises to each level. */
  readonly rises: Readonly<Record<Exclude<Level, 'normal'>, number>>;
  /** Time above normal, over all scopes of the class. */
  readonly raisedMs: number;
  /** How often each action began, counted once for each time that a scope was above normal, whatever its outcome. */
  readonly actions: Readonly<Record<string, number>>;
}

/** Records that end an action and are not actions themselves. */
const notCounted = new Set(['ladder.release']);

interface Open {
  rises: Record<Exclude<Level, 'normal'>, number>;
  raisedMs: number;
  actions: Record<string, number>;
}

/** Counts level changes and actions by class. */
export class ReplayTally {
  readonly #classes = new Map<string, Open>();
  readonly #raised = new Map<string, number>();
  /** Actions that already ran for a scope since it left normal. */
  readonly #ran = new Map<string, Set<string>>();
  readonly #seen = new Set<string>();

  level(change: {
    readonly at: number;
    readonly scope: string;
    readonly from: Level;
    readonly level: Level;
  }): void {
    const { at, scope, from, level } = change;
    const tally = this.#of(scope);
    if (level !== 'normal' && levels.indexOf(level) > levels.indexOf(from)) tally.rises[level] += 1;
    if (level === 'normal') this.#fall(scope, at);
    else if (!this.#raised.has(scope)) this.#raised.set(scope, at);
  }

  /** Counts each action once per scope until its level is normal again, because a rung that frees nothing would run repeatedly. */
  action(record: { readonly id: string; readonly action: string; readonly scope: string }): void {
    const { id, action, scope } = record;
    // A second record of the same action may come after the level has fallen.
    if (notCounted.has(action) || this.#seen.has(id)) return;
    this.#seen.add(id);
    const ran = this.#ran.get(scope) ?? new Set();
    this.#ran.set(scope, ran);
    if (ran.has(action)) return;
    ran.add(action);
    const { actions } = this.#of(scope);
    actions[action] = (actions[action] ?? 0) + 1;
  }

  /** Ends every raised level, because the process ended. */
  end(at: number): void {
    for (const scope of this.#raised.keys()) this.#fall(scope, at);
    this.#ran.clear();
    this.#seen.clear();
  }

  get classes(): Readonly<Record<string, ClassTally>> {
    return Object.fromEntries(this.#classes);
  }

  #fall(scope: string, at: number): void {
    this.#ran.delete(scope);
    const since = this.#raised.get(scope);
    if (since === undefined) return;
    this.#raised.delete(scope);
    this.#of(scope).raisedMs += Math.max(0, at - since);
  }

  #of(scope: string): Open {
    const name = classOf(scope);
    let tally = this.#classes.get(name);
    if (tally === undefined) {
      tally = { rises: { warning: 0, critical: 0, emergency: 0 }, raisedMs: 0, actions: {} };
      this.#classes.set(name, tally);
    }
    return tally;
  }
}

/** `process`, or the kind of the scope: "session" of "process/agent:planner/session:42". */
function classOf(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1);
  const colon = last.indexOf(':');
  return colon < 0 ? last : last.slice(0, colon);
}
