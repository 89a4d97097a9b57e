import type { PlimsollError } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { actions } from './actions.ts';
import type { ladderSteps } from './ladder-rules.ts';
import type { GivenApprovals } from './sections/approvals.ts';
import { approvalDefaults } from './sections/approvals.ts';

type At = (...path: readonly (string | number)[]) => { place: string; path: string };
type LadderStep = ReturnType<typeof ladderSteps>[number];

/** Problems of approvals: nobody can give one, no answer would give one, two entries claim the same one, or it does not exist. */
export function approvalProblems(
  given: GivenApprovals | undefined,
  steps: ReturnType<typeof ladderSteps>,
  at: At,
  faults: readonly PlimsollError[],
): PlimsollError[] {
  const problems: PlimsollError[] = [];
  const claimed = new Map<string, string>();
  for (const [name, each] of Object.entries(given ?? {})) {
    // Approvers that could not be read already have their own problems.
    const path = at('approvals', name, 'by').path;
    const isRead = each.by !== undefined && !faults.some(({ where }) => where.includes(`  ${path}`));
    if (isRead) problems.push(...quorumProblems(name, each, at));
    problems.push(...silenceProblems(name, each, at));
    for (const subject of ['delegation', 'operations'] as const) {
      if (each.for?.[subject] === undefined) continue;
      const first = claimed.get(subject);
      if (first === undefined) claimed.set(subject, name);
      else
        problems.push(
          failure('PLM_POLICY_APPROVAL_TIE', {
            ...at('approvals', name, 'for', subject),
            subject,
            first,
            second: name,
          }),
        );
    }
  }
  for (const step of steps) problems.push(...rungProblems(given ?? {}, step, at));
  return problems;
}

function quorumProblems(name: string, each: GivenApprovals[string], at: At): PlimsollError[] {
  const people = new Set(each.by.map((by) => by.toLowerCase()));
  const quorum = each.quorum ?? 1;
  if (people.size > 0 && ([...people].some((by) => by.startsWith('group:')) || people.size >= quorum))
    return [];
  const key = people.size === 0 ? 'by' : 'quorum';
  return [
    failure('PLM_POLICY_APPROVAL_QUORUM', {
      ...at('approvals', name, key),
      name,
      quorum,
      people: people.size,
    }),
  ];
}

function silenceProblems(name: string, each: GivenApprovals[string], at: At): PlimsollError[] {
  if (each['on-expiry'] !== 'proceed' || each.for === undefined) return [];
  const what = `what "${name}" holds`;
  return [failure('PLM_POLICY_APPROVAL_SILENCE', { ...at('approvals', name, 'on-expiry'), name, what })];
}

function rungProblems(given: GivenApprovals, step: LadderStep, at: At): PlimsollError[] {
  const { action, path } = step;
  const approval = step.options['approval'];
  if (typeof approval !== 'string') return [];
  const entry = Object.hasOwn(given, approval) ? given[approval] : undefined;
  if (entry === undefined) {
    if (Object.hasOwn(approvalDefaults.rules, approval)) return [];
    const known = [...new Set([...Object.keys(given), ...Object.keys(approvalDefaults.rules)])];
    return [failure('PLM_POLICY_APPROVAL_UNKNOWN', { ...at(...path), action, approval, known })];
  }
  if (actions[action]?.nature !== 'stops' || entry['on-expiry'] !== 'proceed') return [];
  const what = `"${action}", which ends work`;
  return [failure('PLM_POLICY_APPROVAL_SILENCE', { ...at(...path), name: approval, what })];
}
