import type { Policy } from '../policy/policy.ts';
import type { ActionPlan } from '../actions/action.ts';
import type { ApprovalTicket } from '../actions/levers.ts';
import type { Step } from './steps.ts';
import type { Subject } from './subject.ts';

/** What an approver is asked, with the numbers to decide by. */
export function ticketOf(
  subject: Subject,
  step: Step,
  plan: ActionPlan,
  policy: Policy,
  hooks: Pick<ApprovalTicket, 'isStillValid' | 'run' | 'onRefused'>,
): ApprovalTicket {
  const { usedBytes, limitBytes } = subject.standing;
  const { victims, projectedBytes, text } = plan;
  return {
    approval: step.rung.approval as string,
    kind: 'action',
    action: step.rung.action,
    scope: subject.path,
    args: { ...step.rung.options, ...(victims === undefined ? {} : { victims }) },
    level: step.level,
    why: text,
    evidence: {
      level: subject.level,
      usedBytes,
      limitBytes,
      projectedBytes,
      victims: victims?.join(', ') ?? null,
    },
    requestedBy: step.rule,
    policy: { revision: policy.revision, sha256: policy.sha256 },
    ...hooks,
  };
}
