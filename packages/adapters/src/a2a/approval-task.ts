import type { Message, Task, TaskStatus } from '@a2a-js/sdk';
import { randomUUID } from 'node:crypto';
import type { ApprovalRow } from '@plimsoll/govern/internal/approvals/approval-row';
import type { A2aServerSdk } from './sdk.ts';

/** How a task says what it is about. */
interface TaskIdentity {
  readonly id: string;
  readonly contextId: string;
}

/** What a task shows for an approval: it needs input until somebody decided, anywhere. */
function stateOf(sdk: A2aServerSdk, row: ApprovalRow | undefined) {
  const { TaskState } = sdk.core;
  switch (row?.state) {
    case 'open':
      return TaskState.TASK_STATE_INPUT_REQUIRED;
    case 'approved':
    case 'denied':
    case 'overridden':
      return TaskState.TASK_STATE_COMPLETED;
    case 'withdrawn':
    case 'stale':
    case 'lost':
      return TaskState.TASK_STATE_CANCELED;
    default:
      return TaskState.TASK_STATE_REJECTED;
  }
}

/** The status of a task for an approval, with the row as data and a sentence beside it. */
export function statusOf(
  sdk: A2aServerSdk,
  task: TaskIdentity,
  row: ApprovalRow | undefined,
  at: number,
  remark = '',
): TaskStatus {
  return {
    state: stateOf(sdk, row),
    message: messageOf(sdk, task, [remark, sentenceOf(row)].filter((text) => text !== '').join(' '), row),
    timestamp: new Date(at).toISOString(),
  };
}

export function messageOf(sdk: A2aServerSdk, task: TaskIdentity, text: string, row?: ApprovalRow): Message {
  const part = { metadata: undefined, filename: '' };
  return {
    messageId: randomUUID(),
    contextId: task.contextId,
    taskId: task.id,
    role: sdk.core.Role.ROLE_AGENT,
    parts: [
      { ...part, content: { $case: 'text', value: text }, mediaType: 'text/plain' },
      ...(row === undefined
        ? []
        : [{ ...part, content: { $case: 'data' as const, value: row }, mediaType: 'application/json' }]),
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

export function taskOf(task: TaskIdentity, status: TaskStatus, row: ApprovalRow | undefined): Task {
  return { ...task, status, artifacts: [], history: [], metadata: metadataOf(row) };
}

/** What a program needs to answer without reading the text. */
function metadataOf(row: ApprovalRow | undefined): Record<string, string> {
  if (row === undefined) return {};
  const { id, digest, deadlineAt } = row;
  return { approval: id, digest, deadline: new Date(deadlineAt).toISOString() };
}

function sentenceOf(row: ApprovalRow | undefined): string {
  if (row === undefined) return 'this approval is not known any more.';
  const { id, action, scope, why, state, quorum, votes, deadlineAt, onExpiry, digest } = row;
  if (state !== 'open') return `approval ${id} (${action} on ${scope}) is ${state}.`;
  const yes = votes.filter((vote) => vote.decision === 'approve').length;
  const missing = quorum - yes === 1 ? 'one approval is missing' : `${quorum - yes} approvals are missing`;
  return (
    `approval ${id}: ${action} on ${scope}, because ${why.replace(/\.$/, '')}. ${missing}; no answer until ${new Date(deadlineAt).toISOString()} means ${onExpiry}. ` +
    `Answer in this task with a data part { "decision": "approve" or "deny", "digest": "${digest}", "comment": "..." }, or with the text "approve ${digest}".`
  );
}
