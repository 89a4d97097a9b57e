import { formatAmount } from '@plimsoll/govern/internal/policy/explain';
import { formatLine } from '@plimsoll/govern/internal/policy/form/place';
import type { BudgetRule, Policy } from '@plimsoll/govern/internal/policy/policy';
import type { PolicyInForce } from './answers.ts';
import type { BudgetRow } from './api.ts';

/** A policy as rows: every budget rule with its bytes under the limit. */
export function policyInForce(policy: Policy, limitBytes: number | undefined): PolicyInForce {
  const { file, mode, revision, sha256, global } = policy;
  const rules = Object.values(policy.budgets).flat();
  const whole: BudgetRow = {
    section: 'global',
    glob: '*',
    max: formatAmount(global.max),
    maxBytes: bytesOf(global.max, limitBytes),
    priority: null,
    idleMs: null,
    place: placeOf(global.place),
  };
  return {
    file,
    mode,
    revision,
    sha256,
    budgets: [whole, ...rules.map((rule) => budgetRow(rule, limitBytes))],
  };
}

function budgetRow(rule: BudgetRule, limitBytes: number | undefined): BudgetRow {
  return {
    section: rule.section,
    glob: rule.glob.text,
    max: rule.max === undefined ? null : formatAmount(rule.max),
    maxBytes: rule.max === undefined ? null : bytesOf(rule.max, limitBytes),
    priority: rule.priority ?? null,
    idleMs: rule.idleMs ?? null,
    place: placeOf(rule.place),
  };
}

function bytesOf(amount: NonNullable<BudgetRule['max']>, limitBytes: number | undefined): number | null {
  if ('bytes' in amount) return amount.bytes;
  return limitBytes === undefined ? null : Math.floor(amount.ratio * limitBytes);
}

function placeOf(place: BudgetRule['place']): string {
  return place.line === 0 ? 'built-in' : formatLine(place);
}
