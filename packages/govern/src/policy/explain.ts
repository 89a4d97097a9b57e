import { formatByteSize } from '@plimsoll/core/units';
import { formatDuration } from '@plimsoll/core/units';
import type { BudgetShare } from './budget.ts';
import { budgetFor, ruleFor, sectionOf } from './budget.ts';
import { formatLine } from './form/place.ts';
import type { Amount, BudgetRule, Policy } from './policy.ts';
import { formatPercent } from './form/quantity.ts';
import { parseScopePath } from './scope-path.ts';

/** The reason for each number of a scope, rule by rule. */
export interface Explanation {
  readonly path: string;
  readonly policy: { readonly file: string; readonly revision: number; readonly sha256: string };
  readonly mode: string;
  readonly values: readonly ExplainedValue[];
  /** Rules of the kinds on the path that did not apply, with the reason. */
  readonly unused: readonly { readonly rule: string; readonly place: string; readonly why: string }[];
}

interface ExplainedValue {
  readonly key: 'max' | 'priority' | 'idle' | 'exempt';
  readonly value: string;
  readonly bytes?: number;
  /** The rule and its place, or "built-in". */
  readonly from: string;
  readonly why?: string;
}

/** Explains which rule (file:line) gave which number to a scope and why others did not match. */
export function explain(policy: Policy, scopePath: string, limitBytes?: number): Explanation {
  const budget = budgetFor(policy, scopePath, limitBytes);
  const values: ExplainedValue[] = [explainMax(policy, budget.own, budget.binding, budget.shares)];
  values.push({
    key: 'priority',
    value: budget.priority,
    from: budget.priorityRule === undefined ? 'built-in' : describeRule(budget.priorityRule),
  });
  values.push({
    key: 'idle',
    value: budget.idleMs === undefined ? 'never' : formatDuration(budget.idleMs),
    from: budget.idleRule === undefined ? 'built-in' : describeRule(budget.idleRule),
  });
  if (budget.exempt !== undefined)
    values.push({
      key: 'exempt',
      value: 'no level, no action',
      from: `exempt "${budget.exempt.kind}:${budget.exempt.glob.text}" (${formatLine(budget.exempt.place)})`,
    });
  const { file, revision, sha256, mode } = policy;
  return {
    path: budget.path,
    policy: { file, revision, sha256 },
    mode,
    values,
    unused: unusedRules(policy, scopePath),
  };
}

function explainMax(
  policy: Policy,
  own: BudgetShare | undefined,
  binding: BudgetShare | undefined,
  shares: readonly BudgetShare[],
): ExplainedValue {
  // Without a limit a percentage cannot be compared, so the innermost share is named.
  const giving = binding ?? (shares.at(-1) as BudgetShare);
  const from = giving.rule === 'global' ? describeGlobal(policy) : describeRule(giving.rule);
  const reserve =
    giving.rule === 'global' && policy.global.reserveBytes > 0
      ? `less the reserve of ${formatByteSize(policy.global.reserveBytes)}`
      : undefined;
  const why =
    own === undefined && giving.of !== 'process'
      ? `no rule of its own; bounded by ${giving.of}`
      : own === undefined
        ? ['no rule of its own; bounded by the process', ...(reserve === undefined ? [] : [reserve])].join(
            ', ',
          )
        : own !== giving
          ? `its own rule says ${formatAmount(own.max)} (${own.rule === 'global' ? 'global' : formatLine(own.rule.place)}); ${giving.of} around it is lower`
          : undefined;
  return {
    key: 'max',
    value: giving.maxBytes === undefined ? formatAmount(giving.max) : formatByteSize(giving.maxBytes),
    ...(giving.maxBytes === undefined ? {} : { bytes: giving.maxBytes }),
    from,
    ...(why === undefined ? {} : { why }),
  };
}

/** "8.0 MiB" or "25 % of the true limit". */
export function formatAmount(amount: Amount): string {
  return 'bytes' in amount
    ? formatByteSize(amount.bytes)
    : `${formatPercent(amount.ratio)} of the true limit`;
}

/** `agents "research-*" (plimsoll.yaml:21)`. */
export function describeRule(rule: BudgetRule): string {
  return `${rule.section} "${rule.glob.text}" (${formatLine(rule.place)})`;
}

function describeGlobal(policy: Policy): string {
  return policy.global.place.line === 0 ? 'built-in' : `global (${formatLine(policy.global.place)})`;
}

function unusedRules(policy: Policy, scopePath: string): Explanation['unused'] {
  const unused: { rule: string; place: string; why: string }[] = [];
  for (const step of parseScopePath(scopePath)) {
    const section = sectionOf(step.kind);
    if (section === undefined) continue;
    const used = (['max', 'priority', 'idleMs'] as const).map((key) => ruleFor(policy, step, key));
    for (const rule of policy.budgets[section]) {
      if (used.includes(rule)) continue;
      const winner = used.find((other) => other !== undefined);
      const why = !rule.glob.matches(step.name)
        ? `does not match "${step.name}"`
        : winner === undefined
          ? 'sets nothing'
          : `"${winner.glob.text}" is more specific`;
      unused.push({ rule: `${rule.section} "${rule.glob.text}"`, place: formatLine(rule.place), why });
    }
  }
  return unused;
}
