import type { ListTasksRequest, ListTasksResponse, Task } from '@a2a-js/sdk';
import type { ServerCallContext, TaskStore } from '@a2a-js/sdk/server';
import { statusOf } from './approval-task.ts';
import type { ApprovalsView } from './approval-view.ts';
import type { A2aServerSdk } from './sdk.ts';

interface ApprovalStoreOptions {
  readonly sdk: A2aServerSdk;
  readonly approvals: Pick<ApprovalsView, 'row'>;
  readonly now: () => number;
  /** Most tasks, 256 by default: ended ones leave first, then the oldest of whoever has the most. */
  readonly most?: number;
  /** How long a task is kept after it was last changed; one hour by default. */
  readonly keepMs?: number;
}

interface StoredTask {
  readonly owner: string;
  readonly task: Task;
  readonly savedAt: number;
}

const mostHistory = 6;
const mostHistoryChars = 16 * 1024;
const defaultPageSize = 50;

/**
 * The tasks of the approval server: bounded in number, size and time, which the store of the SDK is not. A task shows what its approval
 * is now, whoever decided it and through which channel; a caller sees its own tasks only.
 */
export class ApprovalStore implements TaskStore {
  readonly #options: ApprovalStoreOptions;
  readonly #most: number;
  readonly #keepMs: number;
  readonly #tasks = new Map<string, StoredTask>();

  constructor(options: ApprovalStoreOptions) {
    this.#options = options;
    this.#most = Math.max(1, options.most ?? 256);
    this.#keepMs = options.keepMs ?? 3_600_000;
  }

  save(task: Task, context: ServerCallContext): Promise<void> {
    this.#expire();
    // Kept in the order of their last change, so that the oldest is the first.
    this.#tasks.delete(task.id);
    if (this.#tasks.size >= this.#most) this.#makeRoom();
    const history = task.history.slice(-mostHistory);
    const isLong = JSON.stringify(history).length > mostHistoryChars;
    this.#tasks.set(task.id, {
      owner: ownerOf(context),
      task: structuredClone({ ...task, history: isLong ? [] : history }),
      savedAt: this.#options.now(),
    });
    return Promise.resolve();
  }

  load(taskId: string, context: ServerCallContext): Promise<Task | undefined> {
    this.#expire();
    const found = this.#tasks.get(taskId);
    return Promise.resolve(found?.owner === ownerOf(context) ? this.#current(found) : undefined);
  }

  list(params: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
    this.#expire();
    const owner = ownerOf(context);
    const after = params.statusTimestampAfter === undefined ? 0 : Date.parse(params.statusTimestampAfter);
    const all = [...this.#tasks.values()]
      .filter((each) => each.owner === owner)
      .map((each) => this.#current(each))
      .reverse()
      .filter(
        ({ contextId, status }) =>
          (params.contextId === '' || contextId === params.contextId) &&
          (!params.status || status?.state === params.status) &&
          Date.parse(status?.timestamp ?? '') >= (after || 0),
      );
    const pageSize = Math.min(100, Math.max(1, params.pageSize ?? defaultPageSize));
    const from = Math.max(0, Number.parseInt(params.pageToken, 10) || 0);
    const tasks = all.slice(from, from + pageSize);
    const nextPageToken = from + pageSize < all.length ? String(from + pageSize) : '';
    return Promise.resolve({ tasks, nextPageToken, pageSize, totalSize: all.length });
  }

  /** The task as its approval is now. Ended tasks stay as they ended. */
  #current({ task }: StoredTask): Task {
    const { sdk, approvals, now } = this.#options;
    const copy = structuredClone(task);
    const id: unknown = task.metadata?.['approval'];
    if (typeof id !== 'string' || task.status?.state !== sdk.core.TaskState.TASK_STATE_INPUT_REQUIRED)
      return copy;
    const row = approvals.row(id);
    return row?.state === 'open'
      ? copy
      : { ...copy, status: statusOf(sdk, task, row, row?.decidedAt ?? now()) };
  }

  #expire(): void {
    const before = this.#options.now() - this.#keepMs;
    for (const [id, { savedAt }] of this.#tasks) {
      if (savedAt > before) return;
      this.#tasks.delete(id);
    }
  }

  #makeRoom(): void {
    const { TaskState } = this.#options.sdk.core;
    const byOwner = new Map<string, string[]>();
    for (const [id, stored] of this.#tasks) {
      if (this.#current(stored).status?.state !== TaskState.TASK_STATE_INPUT_REQUIRED) {
        this.#tasks.delete(id);
        return;
      }
      byOwner.set(stored.owner, [...(byOwner.get(stored.owner) ?? []), id]);
    }
    const [most] = [...byOwner.values()].sort((a, b) => b.length - a.length);
    this.#tasks.delete(most?.[0] ?? '');
  }
}

function ownerOf(context: ServerCallContext): string {
  return context.user?.userName ?? '';
}
