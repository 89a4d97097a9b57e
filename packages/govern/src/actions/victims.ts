import { budgetFor } from '../policy/budget.ts';
import type { Policy } from '../policy/policy.ts';
import type { Priority } from '@plimsoll/core/internal/level';
import type { LeverScope } from './levers.ts';

/** A scope that may be stopped, with the numbers behind the choice. */
export interface Victim {
  readonly scope: LeverScope;
  readonly bytes: number;
  /** Bytes over its budget; 1 when it has none or is within it. */
  readonly overRatio: number;
  /**
   * Working time of the scope and everything inside it, at least half a minute, so that new scopes are not always chosen. An idle scope
   * counts with the minimum.
   */
  readonly workLostMs: number;
  readonly priority: Priority;
  readonly score: number;
  /** Open scopes of its kind. */
  readonly ofKind: number;
}

export interface VictimRules {
  readonly pick: 'least-waste' | 'largest';
  /** Share of `usedBytes` that a scope has to hold to be worth it. */
  readonly atLeastRatio: number;
  /** Kinds that may be stopped; all but service when absent. */
  readonly kinds?: readonly string[] | undefined;
  /** Paths that an approver agreed to. No other scope is stopped, and the checks of worth and fairness are skipped. */
  readonly only?: readonly string[] | undefined;
}

/** The scopes that may be stopped, best first, and the reasons why others are spared. */
export interface VictimChoice {
  readonly victims: readonly Victim[];
  /** Number of spared scopes that are large enough, by reason. */
  readonly spared: Readonly<Record<SpareReason, number>>;
}

export type SpareReason = 'leased' | 'exempt' | 'kind' | 'like its class';

/** Kind of the row for live heap in no scope. It is shown and never stopped. */
const unattributedKind = 'unattributed';

const leastWorkMs = 30_000;
const classFactor = 2;
const mostCandidates = 256;
const priorityOrder: readonly Priority[] = ['sheddable', 'normal', 'critical'];

interface Kin {
  count: number;
  bytes: number;
}

/**
 * Chooses what to stop: freeable bytes x how far over its budget / work lost, within a priority.
 *
 * A scope is worth stopping only when it holds a real share of the memory in use. It is fair to stop only when it is over its budget or
 * holds at least twice the average of the others of its kind. When all grow alike, ending one does not help.
 */
export function chooseVictims(
  scopes: Iterable<LeverScope>,
  subject: { readonly path: string; readonly usedBytes: number },
  policy: Policy,
  limitBytes: number,
  rules: VictimRules,
): VictimChoice {
  const spared = { leased: 0, exempt: 0, kind: 0, 'like its class': 0 };
  const kin = new Map<string, Kin>();
  const workMs = new Map<number, number>();
  const candidates: LeverScope[] = [];
  const leastBytes = Math.max(1, rules.atLeastRatio * subject.usedBytes);
  for (const scope of scopes) {
    if (scope.kind === unattributedKind) continue;
    addKin(kin, scope);
    addWork(workMs, scope);
    const isMeant = rules.only?.includes(scope.path) ?? scope.bytes >= leastBytes;
    if (isMeant && isInside(scope, subject.path)) candidates.push(scope);
  }
  candidates.sort((a, b) => b.bytes - a.bytes);
  const victims: Victim[] = [];
  for (const scope of candidates.slice(0, mostCandidates)) {
    const found = judge(scope, { kin, workMs, policy, limitBytes, rules });
    if (typeof found === 'string') spared[found]++;
    else victims.push(found);
  }
  return { victims: withoutFamily(victims.sort(byChoice)), spared };
}

interface Grounds {
  readonly kin: ReadonlyMap<string, Kin>;
  readonly workMs: ReadonlyMap<number, number>;
  readonly policy: Policy;
  readonly limitBytes: number;
  readonly rules: VictimRules;
}

function judge(scope: LeverScope, grounds: Grounds): Victim | SpareReason {
  const { rules, policy, limitBytes } = grounds;
  if (rules.kinds === undefined ? scope.kind === 'service' : !rules.kinds.includes(scope.kind)) return 'kind';
  if (scope.leases > 0) return 'leased';
  const budget = budgetFor(policy, scope.path, limitBytes);
  if (budget.exempt !== undefined) return 'exempt';
  const maxBytes = Math.min(scope.budget ?? Infinity, budget.own?.maxBytes ?? Infinity);
  const overRatio = Math.max(1, scope.bytes / maxBytes);
  const { count, bytes } = grounds.kin.get(scope.kind) as Kin;
  const othersBytes = count > 1 ? (bytes - scope.bytes) / (count - 1) : 0;
  const isAlike = overRatio === 1 && scope.bytes < classFactor * othersBytes;
  if (isAlike && rules.only === undefined) return 'like its class';
  const isIdle = budget.idleMs !== undefined && scope.idleMs >= budget.idleMs;
  const workLostMs = Math.max(leastWorkMs, isIdle ? 0 : (grounds.workMs.get(scope.id) ?? 0));
  const waste = (scope.bytes * overRatio) / workLostMs;
  return {
    scope,
    bytes: scope.bytes,
    overRatio,
    workLostMs,
    priority: budget.priority,
    score: rules.pick === 'largest' ? scope.bytes : waste,
    ofKind: count,
  };
}

function byChoice(a: Victim, b: Victim): number {
  const order = priorityOrder.indexOf(a.priority) - priorityOrder.indexOf(b.priority);
  return order || b.score - a.score || a.scope.id - b.scope.id;
}

/** Keeps only the better choice of a scope and one inside it, because stopping the outer one stops the inner one. */
function withoutFamily(victims: readonly Victim[]): readonly Victim[] {
  const kept: Victim[] = [];
  for (const victim of victims) {
    const { path } = victim.scope;
    const isFamily = kept.some(({ scope }) => isInside(scope, path) || isInside(victim.scope, scope.path));
    if (!isFamily) kept.push(victim);
  }
  return kept;
}

function isInside({ path }: LeverScope, outer: string): boolean {
  return outer === 'process' || path === outer || path.startsWith(`${outer}/`);
}

function addKin(kin: Map<string, Kin>, { kind, bytes }: LeverScope): void {
  const row = kin.get(kind);
  if (row === undefined) kin.set(kind, { count: 1, bytes });
  else {
    row.count++;
    row.bytes += bytes;
  }
}

/** Adds a scope's work to all scopes around it, because stopping one also loses the work inside it. */
function addWork(workMs: Map<number, number>, scope: LeverScope): void {
  const activeMs = Math.max(0, scope.ageMs - scope.idleMs);
  for (let at: LeverScope | undefined = scope; at !== undefined && at.id !== 0; at = at.parent)
    workMs.set(at.id, (workMs.get(at.id) ?? 0) + activeMs);
}
