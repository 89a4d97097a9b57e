import type { Amount, BudgetRule, BudgetSection, ExemptRule, Policy } from './policy.ts';
import type { Priority } from '@plimsoll/core/internal/level';
import { budgetSections } from './policy.ts';
import type { ScopeStep } from './scope-path.ts';
import { formatStep, parseScopePath } from './scope-path.ts';

/** One limit that applies to a scope: from its own rule or from an outer scope. */
export interface BudgetShare {
  /** The scope that the rule is about, such as "process" or "agent:planner". */
  readonly of: string;
  readonly max: Amount;
  /** Absent when `max` is a percentage and no limit was given. */
  readonly maxBytes?: number;
  readonly rule: BudgetRule | 'global';
}

/** The budget of a scope under a policy. */
interface Budget {
  readonly path: string;
  /** The lowest of the scope's own limit and those of outer scopes; absent when it depends on a limit that was not given. */
  readonly maxBytes?: number;
  /** The share that gives `maxBytes`. */
  readonly binding?: BudgetShare;
  /** The scope's own share. A scope without one is bounded by outer scopes. */
  readonly own?: BudgetShare;
  /** Every share from the process to the scope. */
  readonly shares: readonly BudgetShare[];
  readonly priority: Priority;
  readonly idleMs?: number;
  readonly priorityRule?: BudgetRule;
  readonly idleRule?: BudgetRule;
  /** Set when the scope or an outer one is exempt. */
  readonly exempt?: ExemptRule;
}

const sectionOfKind = new Map<string, BudgetSection>(
  (Object.keys(budgetSections) as BudgetSection[]).map((section) => [budgetSections[section], section]),
);

/** The section of `budgets` that a scope kind belongs to. */
export function sectionOf(kind: string): BudgetSection | undefined {
  return sectionOfKind.get(kind);
}

/** The most specific rule for a kind and name that sets a key. */
export function ruleFor(
  policy: Policy,
  step: ScopeStep,
  key: 'max' | 'priority' | 'idleMs',
): BudgetRule | undefined {
  const section = sectionOfKind.get(step.kind);
  if (section === undefined) return undefined;
  for (const rule of policy.budgets[section])
    if (rule[key] !== undefined && rule.glob.matches(step.name)) return rule;
  return undefined;
}

/** The rule that exempts a kind and name, if one does. */
export function exemptionFor(policy: Policy, step: ScopeStep): ExemptRule | undefined {
  return policy.exempt.find((rule) => rule.kind === step.kind && rule.glob.matches(step.name));
}

/** Bytes of an amount; undefined for a percentage of an unknown limit. */
export function bytesOfAmount(amount: Amount, limitBytes: number | undefined): number | undefined {
  if ('bytes' in amount) return amount.bytes;
  return limitBytes === undefined ? undefined : Math.floor(amount.ratio * limitBytes);
}

/** Most bytes of the whole process: the global budget, never above the true limit, less the reserve. */
export function globalMaxBytes(policy: Policy, limitBytes: number | undefined): number | undefined {
  const bytes = bytesOfAmount(policy.global.max, limitBytes);
  if (bytes === undefined) return undefined;
  return Math.max(1, Math.min(bytes, limitBytes ?? bytes) - policy.global.reserveBytes);
}

/** The budget under a policy of the scope at a path such as "process/agent:planner/session:42", against a true limit when it is known. */
export function budgetFor(policy: Policy, scopePath: string, limitBytes?: number): Budget {
  const steps = parseScopePath(scopePath);
  const shares: BudgetShare[] = [
    share('process', policy.global.max, 'global', globalMaxBytes(policy, limitBytes)),
  ];
  let own: BudgetShare | undefined;
  let priorityRule: BudgetRule | undefined;
  let idleRule: BudgetRule | undefined;
  let exempt: ExemptRule | undefined;
  for (const step of steps) {
    const rule = ruleFor(policy, step, 'max');
    own = undefined;
    if (rule?.max !== undefined) {
      own = share(formatStep(step), rule.max, rule, bytesOfAmount(rule.max, limitBytes));
      shares.push(own);
    }
    priorityRule = ruleFor(policy, step, 'priority') ?? priorityRule;
    idleRule = ruleFor(policy, step, 'idleMs') ?? idleRule;
    exempt ??= exemptionFor(policy, step);
  }
  const binding = tightest(shares);
  return {
    path: ['process', ...steps.map(formatStep)].join('/'),
    ...(binding?.maxBytes === undefined ? {} : { binding, maxBytes: binding.maxBytes }),
    ...(own === undefined ? {} : { own }),
    shares,
    priority: priorityRule?.priority ?? 'normal',
    ...(priorityRule === undefined ? {} : { priorityRule }),
    ...(idleRule?.idleMs === undefined ? {} : { idleRule, idleMs: idleRule.idleMs }),
    ...(exempt === undefined ? {} : { exempt }),
  };
}

function share(
  of: string,
  max: Amount,
  rule: BudgetRule | 'global',
  maxBytes: number | undefined,
): BudgetShare {
  return maxBytes === undefined ? { of, max, rule } : { of, max, rule, maxBytes };
}

/** The smallest known share. Among equal ones, the innermost. */
function tightest(shares: readonly BudgetShare[]): BudgetShare | undefined {
  let best: BudgetShare | undefined;
  for (const share of shares)
    if (share.maxBytes !== undefined && share.maxBytes <= (best?.maxBytes ?? Infinity)) best = share;
  return best;
}
