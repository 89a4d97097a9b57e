import type { Policy } from '../policy/policy.ts';
import type { ActionPlan, ActionRecord } from '../actions/action.ts';
import type { Levers, ApprovalTicket } from '../actions/levers.ts';
import type { Narrator } from './narrator.ts';
import type { Step } from './steps.ts';
import type { ApprovedStep, Subject } from './subject.ts';

const mostApproved = 8;

interface ApprovalLineParts {
  readonly levers: Levers;
  readonly narrator: Narrator;
  /** True while a rung may still run for a subject: same policy, level and pressure still there. */
  readonly isCurrent: (subject: Subject, step: Step) => boolean;
  readonly policy: () => Policy;
}

/** Rungs that need an approval: a ticket is filed and the ladder goes on. An approved rung waits for its turn. */
export class ApprovalLine {
  readonly #parts: ApprovalLineParts;

  constructor(parts: ApprovalLineParts) {
    this.#parts = parts;
  }

  file(subject: Subject, step: Step, record: ActionRecord, plan: () => ActionPlan): void {
    const { levers, narrator } = this.#parts;
    const approval = step.rung.approval as string;
    const gate = levers.approvals;
    if (gate === undefined) {
      narrator.skip(record, `needs the approval "${approval}", and this process takes no tickets.`);
      return;
    }
    const planned = plan();
    const { text, projectedBytes, victims } = planned;
    if (victims?.length === 0) {
      narrator.skip(record, text);
      return;
    }
    const ticket = ticketOf(subject, step, planned, this.#parts.policy(), {
      isStillValid: () => this.#isStillValid(subject, step, victims),
      run: (as) => this.#approve(subject, { step, recordId: record.id, victims, as }),
      onRefused: (state) => this.#refused(subject, step, record, state),
    });
    const { id, state } = gate.request(ticket);
    if (state !== 'open' && state !== 'overridden') {
      narrator.skip(record, `${text} Approval "${approval}": ${state}.`);
      return;
    }
    subject.tickets.set(step.key, id);
    narrator.log.publish({
      ...record,
      outcome: 'waiting',
      text: `${text} Approval "${approval}", ticket ${id}: ${state}.`,
      releasedBytes: projectedBytes,
      ...(victims === undefined ? {} : { victims }),
    });
  }

  /** Drops approved rungs that have not begun, because the pressure has fallen. */
  forget(subject: Subject): void {
    for (const { step, recordId } of subject.approved.splice(0))
      this.#skip(subject, step, recordId, 'approved, but the pressure has fallen.');
  }

  #approve(subject: Subject, approved: ApprovedStep): void {
    const { step, victims, recordId } = approved;
    subject.tickets.delete(step.key);
    if (this.#isStillValid(subject, step, victims) && subject.approved.length < mostApproved)
      subject.approved.push(approved);
    else this.#skip(subject, step, recordId, 'approved too late.');
  }

  #refused(subject: Subject, step: Step, record: ActionRecord, state: string): void {
    subject.tickets.delete(step.key);
    this.#parts.narrator.skip(record, `approval "${step.rung.approval}": ${state}.`);
  }

  #isStillValid(subject: Subject, step: Step, victims: readonly string[] | undefined): boolean {
    if (!this.#parts.isCurrent(subject, step)) return false;
    if (victims === undefined) return true;
    for (const { path } of this.#parts.levers.scopes?.() ?? []) if (victims.includes(path)) return true;
    return false;
  }

  #skip(subject: Subject, step: Step, recordId: string, text: string): void {
    const { narrator, policy } = this.#parts;
    narrator.skip(narrator.recordOf(subject, step, policy(), recordId), text);
  }
}

/** The ticket for the approver, with the numbers to decide by. */
function ticketOf(
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
