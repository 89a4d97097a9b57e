import { failure } from '@plimsoll/core/internal/errors';
import type { ApprovalDesk } from '@plimsoll/govern/internal/approvals/approval-desk';
import type { DeskDecision } from '@plimsoll/govern/internal/approvals/decision';
import { findApprover, ownerName } from '../protocol/approver-file.ts';
import type { DecidedRow } from '../protocol/answers.ts';
import type { ControlArgs, ControlOps } from '../protocol/control.ts';

const mostRows = 500;

/**
 * `approvals.list` with `{ most? }`, and `approvals.decide` with `{ id, digest, decision, comment?, key?, channel?, token?, for? }`. Only
 * the user that runs the process can open the socket. Without a token the decision is made in that user's name, or in the name of `for`, a
 * person to whom that user's server gave a role. Anybody else needs a token. This process checks the token itself and does not trust the
 * sender.
 */
export function approvalOps(desk: Pick<ApprovalDesk, 'rows' | 'decide'>, approvers: string): ControlOps {
  return {
    'approvals.list': ({ most }) => desk.rows(isCount(most) ? most : mostRows),
    'approvals.decide': (args): DecidedRow => {
      const { row, replayed } = desk.decide(decisionOf(args, approvers));
      return { ...row, replayed };
    },
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= mostRows;
}

function decisionOf(args: ControlArgs, approvers: string): DeskDecision {
  const text = (key: string, most: number): string | undefined => {
    const value = args[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string' || value.length > most)
      throw bad(`"${key}" is no text of at most ${most} characters`);
    return value;
  };
  const id = text('id', 100);
  const digest = text('digest', 64);
  const { decision } = args;
  if (id === undefined || digest === undefined) throw bad('"id" or "digest" is missing');
  if (decision !== 'approve' && decision !== 'deny') throw bad('"decision" is neither approve nor deny');
  const channel = text('channel', 40) ?? 'socket';
  const { by, groups, isOwner } = deciderOf(text('token', 512), text('by', 200), text('for', 205), approvers);
  return {
    id,
    digest,
    decision,
    by,
    groups,
    isOwner,
    channel,
    comment: text('comment', 4000),
    key: text('key', 200),
  };
}

/** The decider: the owner of the token or, without a token, the user that runs the process. A name without a token proves nothing. */
function deciderOf(
  token: string | undefined,
  claimed: string | undefined,
  actsFor: string | undefined,
  approvers: string,
): Pick<DeskDecision, 'by' | 'groups'> & { isOwner: boolean } {
  if (token !== undefined) {
    const found = findApprover(approvers, token);
    if (found === undefined) throw failure('PLM_APPROVAL_TOKEN', { file: approvers });
    return { by: found.by, groups: found.groups, isOwner: false };
  }
  if (actsFor !== undefined) {
    if (!/^user:[\w.@+-]{1,200}$/.test(actsFor)) throw bad('"for" is no user:NAME');
    return { by: actsFor, groups: [], isOwner: true };
  }
  const by = ownerName();
  if (claimed !== undefined && claimed.toLowerCase() !== by.toLowerCase())
    throw failure('PLM_APPROVAL_TOKEN', { file: approvers });
  return { by, groups: [], isOwner: true };
}

function bad(reason: string): Error {
  const accepted =
    '{"id":"7f3a91c2","digest":"the digest of the row","decision":"approve","comment":"...","key":"..."}';
  return failure('PLM_CONTROL_BAD_REQUEST', { reason, accepted });
}
