import type { Policy } from '../policy/policy.ts';
import { bytesOfAmount, exemptionFor, globalMaxBytes, ruleFor, sectionOf } from '../policy/budget.ts';
import { describeRule } from '../policy/explain.ts';
import type { Amount, BudgetRule } from '../policy/policy.ts';
import { pathSegment } from '@plimsoll/core/internal/scope/scope-path';
import type { LevelMachine } from './level-machine.ts';

/** The part of a scope that governing needs. */
export interface GovernedScope {
  readonly id: number;
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  readonly parent?: GovernedScope | undefined;
  readonly budget?: number | undefined;
  readonly account: GovernedAccount;
}

export interface GovernedAccount {
  readonly held: number;
  /** True once the scope has closed. */
  readonly closed?: boolean;
}

/** One open scope that has a budget. It holds the account and not the scope, because a strong reference would hide an abandoned scope. */
export interface BudgetedScope {
  readonly id: number;
  readonly kind: string;
  readonly name: string;
  readonly parentPath: string;
  readonly account: GovernedAccount;
  budgetBytes: number | undefined;
  /** Amounts of outer scopes that may be lower than its own. */
  readonly around: readonly Amount[];
  readonly rule: BudgetRule | undefined;
  limitBytes: number;
  /** Source of `limitBytes`: its rule, the budget in its code, or an outer scope. */
  boundBy: 'rule' | 'code' | 'around';
  /** Bytes from which on the scope has a level machine: half of the warning line. */
  watchBytes: number;
  machine: LevelMachine | undefined;
  usedBytes: number;
}

export function pathOf(row: BudgetedScope): string {
  return `${row.parentPath}/${pathSegment(row.kind, row.name)}`;
}

const none: readonly Amount[] = [];
const minSweep = 4096;
const maxNewcomers = 1024;

/**
 * The open scopes with a budget, in an array that is walked in turns. Closed ones are removed, so the array is bounded by the open scopes.
 */
export class BudgetedScopes {
  #policy: Policy;
  #limitBytes: number | undefined;
  #rows: BudgetedScope[] = [];
  /** Scopes opened since the last walk. Only this list holds scopes strongly. */
  #newcomers: GovernedScope[] = [];
  #cursor = 0;
  #sweepAt = minSweep;
  #hasAround = false;
  /** Called for each row that leaves because its scope closed or lost its budget. */
  readonly #left: (row: BudgetedScope, why: 'closed' | 'no-budget') => void;

  constructor(policy: Policy, left: (row: BudgetedScope, why: 'closed' | 'no-budget') => void) {
    this.#policy = policy;
    this.#left = left;
    this.#setPolicy(policy);
  }

  get size(): number {
    this.#admit();
    return this.#rows.length;
  }

  /**
   * Takes a scope that has opened. It is looked at when the rows are walked next. Most scopes have closed by then and cost nothing. One that
   * no rule can be about is not taken: thousands per second would outlive a collection for nothing.
   */
  add(scope: GovernedScope): boolean {
    if (scope.budget === undefined && !this.#hasRules(scope.kind)) return false;
    this.#newcomers.push(scope);
    if (this.#newcomers.length >= maxNewcomers) this.#admit();
    return true;
  }

  /** Takes a scope whose own budget was changed. Its level continues with the new number. */
  rebudget(scope: GovernedScope): void {
    this.#admit();
    const at = this.#rows.findIndex((row) => row.id === scope.id);
    const before = this.#rows[at];
    const row = scope.account.closed === true ? undefined : this.#rowOf(scope);
    if (before === undefined) {
      if (row !== undefined) this.#rows.push(row);
    } else if (row === undefined) {
      this.#rows.splice(at, 1);
      if (before.machine !== undefined) this.#left(before, 'no-budget');
    } else {
      Object.assign(before, {
        budgetBytes: row.budgetBytes,
        limitBytes: row.limitBytes,
        boundBy: row.boundBy,
        watchBytes: row.watchBytes,
      });
    }
  }

  /** Takes a policy and reads every open scope again. Scopes that still have a budget keep their level machine. */
  replace(policy: Policy, scopes: Iterable<GovernedScope>): void {
    this.#setPolicy(policy);
    const machines = new Map<number, BudgetedScope>();
    for (const row of this.#rows) if (row.machine !== undefined) machines.set(row.id, row);
    this.#rows = [];
    this.#newcomers = [];
    this.#cursor = 0;
    for (const scope of scopes) {
      const row = this.#rowOf(scope);
      if (row === undefined) continue;
      this.#rows.push(row);
      const before = machines.get(row.id);
      if (before === undefined) continue;
      row.machine = before.machine;
      row.usedBytes = before.usedBytes;
      machines.delete(row.id);
    }
    this.#sweepAt = Math.max(minSweep, 2 * this.#rows.length);
    for (const row of machines.values())
      this.#left(row, row.account.closed === true ? 'closed' : 'no-budget');
  }

  /** Takes a new true limit; only percentages depend on it. */
  setLimit(limitBytes: number): void {
    if (limitBytes === this.#limitBytes) return;
    this.#limitBytes = limitBytes;
    for (const row of this.#rows) this.#setLines(row);
  }

  /** Walks at most `max` rows from where the last walk ended, dropping closed ones. */
  walk(max: number, visit: (row: BudgetedScope) => void): void {
    this.#admit();
    const rows = this.#rows;
    // A listener for a closed scope may swap the policy, which replaces all rows.
    for (let left = Math.min(max, rows.length); left > 0 && rows.length > 0 && rows === this.#rows; left--) {
      if (this.#cursor >= rows.length) this.#cursor = 0;
      const row = rows[this.#cursor] as BudgetedScope;
      if (row.account.closed === true) this.#remove(this.#cursor);
      else {
        this.#cursor++;
        visit(row);
      }
    }
  }

  /** Every row, for reports. */
  rows(): readonly BudgetedScope[] {
    return this.#rows;
  }

  /** Makes rows of the newcomers that are still open and have a budget. */
  #admit(): void {
    if (this.#newcomers.length === 0) return;
    const newcomers = this.#newcomers;
    this.#newcomers = [];
    for (const scope of newcomers) {
      const row = scope.account.closed === true ? undefined : this.#rowOf(scope);
      if (row !== undefined) this.#rows.push(row);
    }
    if (this.#rows.length >= this.#sweepAt) this.#sweep();
  }

  /** Removes all closed rows at once. Its cost is spread over the scopes added since the last time. */
  #sweep(): void {
    const rows = this.#rows;
    for (let i = rows.length - 1; i >= 0 && rows === this.#rows; i--)
      if ((rows[i] as BudgetedScope).account.closed === true) this.#remove(i);
    this.#sweepAt = Math.max(minSweep, 2 * this.#rows.length);
  }

  #remove(at: number): void {
    const row = this.#rows[at] as BudgetedScope;
    const last = this.#rows.pop() as BudgetedScope;
    if (last !== row) this.#rows[at] = last;
    if (row.machine !== undefined) this.#left(row, 'closed');
  }

  #setPolicy(policy: Policy): void {
    this.#policy = policy;
    const filled = Object.values(policy.budgets).filter((rules) => rules.length > 0);
    this.#hasAround = filled.length > 0 || policy.exempt.length > 0;
  }

  #hasRules(kind: string): boolean {
    const section = sectionOf(kind);
    return section !== undefined && this.#policy.budgets[section].length > 0;
  }

  #rowOf(scope: GovernedScope): BudgetedScope | undefined {
    const { kind, name, budget } = scope;
    if (scope.id === 0 || (budget === undefined && sectionOf(kind) === undefined)) return undefined;
    const policy = this.#policy;
    const rule = ruleFor(policy, scope, 'max');
    if (rule === undefined && budget === undefined) return undefined;
    const { parent } = scope;
    const around = this.#hasAround ? aroundOf(policy, scope, parent) : none;
    if (around === undefined) return undefined;
    const row: BudgetedScope = {
      id: scope.id,
      kind,
      name,
      parentPath: parent?.path ?? 'process',
      account: scope.account,
      budgetBytes: budget,
      around,
      rule,
      limitBytes: Number.POSITIVE_INFINITY,
      boundBy: 'around',
      watchBytes: Number.POSITIVE_INFINITY,
      machine: undefined,
      usedBytes: 0,
    };
    this.#setLines(row);
    return row;
  }

  /**
   * Sets the limit: the lowest of the scope's own rule, the budget in its code and the limits of outer scopes. A child may lower a limit
   * and never raise it.
   */
  #setLines(row: BudgetedScope): void {
    let limit = globalMaxBytes(this.#policy, this.#limitBytes) ?? Number.POSITIVE_INFINITY;
    let boundBy: BudgetedScope['boundBy'] = 'around';
    for (const amount of row.around)
      limit = Math.min(limit, bytesOfAmount(amount, this.#limitBytes) ?? limit);
    const own = row.rule?.max === undefined ? undefined : bytesOfAmount(row.rule.max, this.#limitBytes);
    if (own !== undefined && own <= limit) {
      limit = own;
      boundBy = 'rule';
    }
    if (row.budgetBytes !== undefined && row.budgetBytes < limit) {
      limit = row.budgetBytes;
      boundBy = 'code';
    }
    row.boundBy = boundBy;
    row.limitBytes = Math.max(1, limit);
    row.watchBytes = 0.5 * this.#policy.levels.warning.enterRatio * row.limitBytes;
  }
}

/** The amounts of the outer scopes; undefined when the scope or one of them is exempt. */
function aroundOf(
  policy: Policy,
  scope: GovernedScope,
  parent: GovernedScope | undefined,
): readonly Amount[] | undefined {
  if (policy.exempt.length > 0 && exemptionFor(policy, scope) !== undefined) return undefined;
  let amounts: Amount[] | undefined;
  for (let at = parent; at !== undefined && at.id !== 0; at = at.parent) {
    if (policy.exempt.length > 0 && exemptionFor(policy, at) !== undefined) return undefined;
    const max = ruleFor(policy, at, 'max')?.max;
    if (max !== undefined) (amounts ??= []).push(max);
    if (at.budget !== undefined) (amounts ??= []).push({ bytes: at.budget });
  }
  return amounts ?? none;
}

/** The rule behind the limit of a row. */
export function ruleOfRow(row: BudgetedScope): string {
  const code = `open("${row.kind}", ..., { budget })`;
  if (row.boundBy === 'code') return code;
  const own = row.rule === undefined ? code : describeRule(row.rule);
  return row.boundBy === 'rule' ? own : `${own}, lowered by an outer scope`;
}
