import type { TaskStatus } from '@a2a-js/sdk';
import type { AgentExecutor, ExecutionEventBus, RequestContext, User } from '@a2a-js/sdk/server';
import { isPlimsollError } from '@plimsoll/core';
import type { ApprovalRow } from '@plimsoll/govern/internal/approvals/approval-row';
import type { ApprovalMessage } from './approval-request.ts';
import { readMessage } from './approval-request.ts';
import { messageOf, statusOf, taskOf } from './approval-task.ts';
import type { A2aApprover, ApprovalsView } from './approval-view.ts';
import type { A2aServerSdk } from './sdk.ts';

/** The authenticated caller, as the SDK hands it around. */
export class ApproverUser implements User {
  readonly approver: A2aApprover;

  constructor(approver: A2aApprover) {
    this.approver = approver;
  }

  get isAuthenticated(): boolean {
    return true;
  }

  get userName(): string {
    return this.approver.by;
  }
}

interface ExecutorOptions {
  readonly sdk: A2aServerSdk;
  readonly approvals: ApprovalsView;
  /** Resolves when everything so far is recorded; a decision is answered after it. */
  readonly recorded?: (() => Promise<unknown>) | undefined;
  readonly now: () => number;
}

/** The skill `memory.approve`: the first message of a task names an approval, or none for the most urgent one; a later one decides it. */
export class ApprovalExecutor implements AgentExecutor {
  readonly #options: ExecutorOptions;

  constructor(options: ExecutorOptions) {
    this.#options = options;
  }

  /** Never rejects. The SDK would write the error, and with it what was sent, to the console. */
  execute = async (context: RequestContext, bus: ExecutionEventBus): Promise<void> => {
    const { sdk, now, recorded } = this.#options;
    const task = { id: context.taskId, contextId: context.contextId };
    try {
      const { status, row } = this.#answer(context);
      await recorded?.();
      bus.publish(sdk.server.AgentEvent.task(taskOf(task, status, row)));
    } catch {
      const status = {
        state: sdk.core.TaskState.TASK_STATE_FAILED,
        message: messageOf(sdk, task, 'this message could not be handled.'),
        timestamp: new Date(now()).toISOString(),
      };
      bus.publish(sdk.server.AgentEvent.task(taskOf(task, status, undefined)));
    }
  };

  /** Only reached while a message of the task is being answered; the SDK cancels all others by itself. */
  cancelTask = (): Promise<void> => Promise.resolve();

  #answer(context: RequestContext): { status: TaskStatus; row: ApprovalRow | undefined } {
    const { sdk, approvals, now } = this.#options;
    const task = { id: context.taskId, contextId: context.contextId };
    const asked = readMessage(context.userMessage);
    const known: unknown = context.task?.metadata?.['approval'];
    const id = typeof known === 'string' ? known : asked.approval;
    const row = id === undefined ? this.#nextOpen(context) : approvals.row(id);
    if (row === undefined && id === undefined)
      return {
        status: {
          state: sdk.core.TaskState.TASK_STATE_COMPLETED,
          message: messageOf(sdk, task, 'no approval waits.'),
          timestamp: new Date(now()).toISOString(),
        },
        row: undefined,
      };
    if (row === undefined || asked.decision === undefined)
      return { status: statusOf(sdk, task, row, now()), row };
    const decided = this.#decide(row, asked, context);
    return { status: statusOf(sdk, task, decided.row, now(), decided.remark), row: decided.row };
  }

  #decide(
    row: ApprovalRow,
    asked: ApprovalMessage,
    context: RequestContext,
  ): { readonly row: ApprovalRow | undefined; readonly remark: string } {
    const { approvals } = this.#options;
    const { approver } = context.context.user as ApproverUser;
    try {
      const decided = approvals.decide({
        ...approver,
        id: row.id,
        digest: asked.digest,
        decision: asked.decision as 'approve' | 'deny',
        comment: asked.comment,
        channel: 'a2a',
        key: `a2a:${context.userMessage.messageId.slice(0, 100)}`,
      });
      return { row: decided.row, remark: `your answer "${asked.decision}" was taken.` };
    } catch (error) {
      if (!isPlimsollError(error)) throw error;
      return { row: approvals.row(row.id), remark: `${error.code}: ${error.message} ${error.fix}` };
    }
  }

  /** The open approval with the soonest deadline, of those the caller may decide when there are any. */
  #nextOpen(context: RequestContext): ApprovalRow | undefined {
    const { by, groups } = (context.context.user as ApproverUser).approver;
    const own = [by, ...groups.map((group) => `group:${group}`)];
    const open = this.#options.approvals.rows().filter((row) => row.state === 'open');
    return open.find((row) => row.approvers.some((name) => own.includes(name))) ?? open[0];
  }
}
