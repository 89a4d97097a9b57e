import { formatDuration } from '../units/duration.ts';
import { entry } from './entry.ts';
import type { At } from './policy.ts';

const at = (d: At): string => (d.path === '' ? d.place : `${d.place}  ${d.path}`);

/** Errors of the section `approvals` of a policy. */
const policyFaults = {
  PLM_POLICY_APPROVAL_UNKNOWN: entry({
    help: 'A rung of the ladder names an entry of `approvals` that the policy does not have.',
    text: (d: At & { action: string; approval: string; known: readonly string[] }) => ({
      message: `"${d.action}" waits for the approval "${d.approval}", which does not exist.`,
      where: at(d),
      fix: `use one of ${d.known.join(', ')}, or add it to "approvals".`,
    }),
    example: {
      place: 'plimsoll.yaml:12:20',
      path: 'ladder.critical[3]',
      action: 'scope.stop',
      approval: 'opps',
      known: ['ops', 'operator'] as readonly string[],
    },
  }),
  PLM_POLICY_APPROVAL_SILENCE: entry({
    help: '`on-expiry: proceed` runs an action because nobody answered. That is accepted only for actions that end no work, and never for an operation that waits.',
    text: (d: At & { name: string; what: string }) => ({
      message: `without an answer, "${d.name}" would allow ${d.what}.`,
      where: at(d),
      fix: 'set "on-expiry" to skip or deny.',
    }),
    example: {
      place: 'plimsoll.yaml:20:5',
      path: 'ladder.critical[3]',
      name: 'ops',
      what: '"scope.stop", which ends work',
    },
  }),
  PLM_POLICY_APPROVAL_QUORUM: entry({
    help: 'An approval needs more approvers than it has.',
    text: (d: At & { name: string; quorum: number; people: number }) => ({
      message:
        d.people === 0
          ? `nobody may decide "${d.name}": "by" is empty.`
          : `"${d.name}" needs ${d.quorum} approvers and only ${d.people} may decide it.`,
      where: at(d),
      fix: 'add approvers or a group to "by", or lower "quorum".',
    }),
    example: {
      place: 'plimsoll.yaml:21:12',
      path: 'approvals.ops.quorum',
      name: 'ops',
      quorum: 2,
      people: 1,
    },
  }),
  PLM_POLICY_APPROVAL_TIE: entry({
    help: 'Two approvals claim the same operations, so it is not clear which one decides.',
    text: (d: At & { subject: string; first: string; second: string }) => ({
      message: `"${d.first}" and "${d.second}" both claim "${d.subject}".`,
      where: at(d),
      fix: 'leave it to one of them.',
    }),
    example: {
      place: 'plimsoll.yaml:24:12',
      path: 'approvals.second.for.delegation',
      subject: 'delegation',
      first: 'ops',
      second: 'second',
    },
  }),
};

/** Why a held operation does not go on. */
const refusals = {
  PLM_APPROVAL_DENIED: entry({
    help: 'An approver denied an operation that waited. Another try opens a new ticket, so try again only when something has changed.',
    text: (d: { what: string; scope: string; id: string; by: string }) => ({
      message: `${d.what} was denied by ${d.by}.`,
      where: d.scope,
      fix: `see "plimsoll approvals show ${d.id}" for the comment.`,
    }),
    example: {
      what: 'delegation to "deep" at depth 5',
      scope: 'process/agent:planner',
      id: '7f3a91c2',
      by: 'user:ada',
    },
  }),
  PLM_APPROVAL_EXPIRED: entry({
    help: 'Nobody answered in time, and by the policy the operation is then denied.',
    text: (d: { what: string; scope: string; id: string; ms: number }) => ({
      message: `nobody decided about ${d.what} within ${formatDuration(d.ms)}.`,
      where: d.scope,
      fix: `ask again when an approver is there; ticket ${d.id} is closed.`,
    }),
    example: {
      what: 'delegation to "deep" at depth 5',
      scope: 'process/agent:planner',
      id: '7f3a91c2',
      ms: 120_000,
    },
  }),
  PLM_APPROVAL_PENDING: entry({
    help: 'The time this caller was willing to wait is over while the ticket is still open. The same request made again joins it, or uses the approval once it is given.',
    text: (d: { what: string; scope: string; id: string; ms: number }) => ({
      message: `${d.what} is not decided after ${formatDuration(d.ms)}; the ticket stays open.`,
      where: d.scope,
      fix: `ask again later, or decide it: plimsoll approvals approve ${d.id}.`,
    }),
    example: {
      what: 'delegation to "deep" at depth 5',
      scope: 'process/agent:planner',
      id: '7f3a91c2',
      ms: 25_000,
    },
  }),
  PLM_APPROVAL_FULL: entry({
    help: 'Too many operations wait for an approval. Waiting operations take memory, so this one was refused at once.',
    text: (d: { what: string; scope: string; bound: string }) => ({
      message: `${d.what} cannot wait: ${d.bound}.`,
      where: d.scope,
      fix: 'decide the open approvals: plimsoll approvals list.',
    }),
    example: {
      what: 'delegation to "deep" at depth 5',
      scope: 'process/agent:planner',
      bound: '64 of 64 requests wait',
    },
  }),
  PLM_APPROVAL_LEVEL: entry({
    help: 'The process is at emergency level. Waiting operations take memory, so none may wait, and all waits are ended.',
    text: (d: { what: string; scope: string }) => ({
      message: `${d.what} cannot wait for an approval at emergency level.`,
      where: d.scope,
      fix: 'ask again when memory has been freed.',
    }),
    example: { what: 'delegation to "deep" at depth 5', scope: 'process/agent:planner' },
  }),
  PLM_APPROVAL_STALE: entry({
    help: 'The policy changed while the operation waited, so an approval would no longer match the request.',
    text: (d: { what: string; scope: string; id: string }) => ({
      message: `ticket ${d.id} for ${d.what} is stale: the policy changed meanwhile.`,
      where: d.scope,
      fix: 'ask again under the policy that is in force now.',
    }),
    example: {
      what: 'delegation to "deep" at depth 5',
      scope: 'process/agent:planner',
      id: '7f3a91c2',
    },
  }),
  PLM_APPROVAL_LOST: entry({
    help: 'The governor stopped while the operation waited. Nobody can decide about it any more, so it is denied.',
    text: (d: { what: string; scope: string; id: string }) => ({
      message: `${d.what} is lost: governing stopped before ticket ${d.id} was decided.`,
      where: d.scope,
      fix: 'ask again after the restart.',
    }),
    example: {
      what: 'delegation to "deep" at depth 5',
      scope: 'process/agent:planner',
      id: '7f3a91c2',
    },
  }),
  PLM_APPROVAL_ABORTED: entry({
    help: 'The caller gave up waiting for the approval. The ticket stays open until its deadline, so that a repeated request joins it.',
    text: (d: { what: string; scope: string; id: string; reason: string }) => ({
      message: `waiting for the approval of ${d.what} was aborted: ${d.reason}.`,
      where: d.scope,
      fix: `nothing; ticket ${d.id} closes by itself.`,
    }),
    example: {
      what: 'delegation to "deep" at depth 5',
      scope: 'process/agent:planner',
      id: '7f3a91c2',
      reason: 'the client went away',
    },
  }),
  PLM_APPROVAL_REQUEST: entry({
    help: 'An approval was requested with an argument that the call does not accept.',
    text: (d: { option: string; accepted: string }) => ({
      message: `"${d.option}" of an approval has to be ${d.accepted}.`,
      where: 'approval(point, request)',
      fix: `pass ${d.accepted}.`,
    }),
    example: { option: 'depth', accepted: 'a whole number from 1 on' },
  }),
};

/** Why a decision is not taken. */
const decisions = {
  PLM_APPROVAL_UNKNOWN: entry({
    help: 'There is no ticket with this id, or it was decided so long ago that only the ledger knows it.',
    text: (d: { id: string }) => ({
      message: `there is no approval "${d.id}" here.`,
      where: 'approvals',
      fix: 'see "plimsoll approvals list" for the open ones.',
    }),
    example: { id: '7f3a91c2' },
  }),
  PLM_APPROVAL_DECIDED: entry({
    help: 'The ticket is not open any more. The first decision counts; nothing changed.',
    text: (d: { id: string; state: string }) => ({
      message: `approval ${d.id} is ${d.state} already.`,
      where: 'approvals',
      fix: `see "plimsoll approvals show ${d.id}".`,
    }),
    example: { id: '7f3a91c2', state: 'expired' },
  }),
  PLM_APPROVAL_DIGEST: entry({
    help: 'The decision quotes another digest than the ticket has, so the approver has seen another request.',
    text: (d: { id: string }) => ({
      message: `the digest of the decision is not that of approval ${d.id}.`,
      where: 'approvals',
      fix: 'look at the ticket again and decide about its current content.',
    }),
    example: { id: '7f3a91c2' },
  }),
  PLM_APPROVAL_NOT_ALLOWED: entry({
    help: 'The decider is not among the approvers of this ticket.',
    text: (d: { id: string; by: string; approvers: readonly string[] }) => ({
      message: `${d.by} may not decide approval ${d.id}.`,
      where: 'approvals',
      fix: `ask one of ${d.approvers.join(', ')}, or change "by" in the policy.`,
    }),
    example: { id: '7f3a91c2', by: 'user:bob', approvers: ['group:sre'] as readonly string[] },
  }),
  PLM_APPROVAL_SELF: entry({
    help: 'The requester may not approve their own request.',
    text: (d: { id: string; by: string }) => ({
      message: `${d.by} asked for approval ${d.id} and may not decide it.`,
      where: 'approvals',
      fix: 'let another approver decide.',
    }),
    example: { id: '7f3a91c2', by: 'agent:planner' },
  }),
  PLM_APPROVAL_KEY: entry({
    help: 'An idempotency key belongs to one ticket, approver, decision and digest. The same key came with another of them.',
    text: (d: { id: string }) => ({
      message: `the idempotency key of this decision about ${d.id} was used for another one.`,
      where: 'approvals',
      fix: 'use a new key for every decision; repeat one only to repeat the same decision.',
    }),
    example: { id: '7f3a91c2' },
  }),
  PLM_APPROVAL_COMMENT: entry({
    help: 'A review of an action that the policy allowed at emergency level needs a comment.',
    text: (d: { id: string }) => ({
      message: `a decision about ${d.id} needs a comment: it reviews an action that the policy allowed itself.`,
      where: 'approvals',
      fix: 'say why with --comment.',
    }),
    example: { id: '7f3a91c2' },
  }),
  PLM_APPROVAL_TOKEN: entry({
    help: 'The token belongs to no approver of this folder.',
    text: (d: { file: string }) => ({
      message: 'the token belongs to no approver.',
      where: d.file,
      fix: 'make one with "plimsoll approvals token NAME --group sre".',
    }),
    example: { file: '.plimsoll/approvers.json' },
  }),
  PLM_APPROVAL_FILE: entry({
    help: 'The file of approvers cannot be used: it is not a list of approvers, or another user may write it. No token counts until that is corrected.',
    text: (d: { file: string; reason: string }) => ({
      message: `the approvers cannot be read: ${d.reason}.`,
      where: d.file,
      fix: 'chmod 600 it, or remove it and make the tokens again.',
    }),
    example: { file: '.plimsoll/approvers.json', reason: 'others than its owner may write it (mode 666)' },
  }),
  PLM_APPROVAL_RUN: entry({
    help: 'The operation that an approver allowed threw. It counts as run, because an approval is used once.',
    text: (d: { id: string; action: string; reason: string }) => ({
      message: `"${d.action}" of approval ${d.id} failed: ${d.reason}.`,
      where: `approval of ${d.action}`,
      fix: 'see the ledger for the events around it.',
    }),
    example: { id: '7f3a91c2', action: 'scope.stop', reason: 'TypeError: x is not a function' },
  }),
};

/** Errors of approvals: in the policy, of what waits, and of decisions. */
export const approvalErrors = { ...policyFaults, ...refusals, ...decisions };
