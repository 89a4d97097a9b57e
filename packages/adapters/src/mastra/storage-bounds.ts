import type { CheckpointBounds } from '../langgraph/bounded-checkpointer.ts';

interface Thread {
  readonly updatedAt?: unknown;
}

interface WorkflowRow extends Thread {
  readonly workflow_name?: string;
  readonly run_id?: string;
  readonly snapshot?: unknown;
}

/** The stores of `InMemoryStore`, with the maps that they share. */
interface Store {
  readonly db?: { readonly threads?: unknown; readonly workflows?: unknown };
  deleteThread?(thread: { readonly threadId: string }): Promise<unknown>;
  deleteWorkflowRunById?(run: { readonly runId: string; readonly workflowName: string }): Promise<unknown>;
}

interface Storage {
  readonly name?: string;
  getStore(domain: 'memory' | 'workflows'): Promise<Store | undefined>;
  prune?(): Promise<unknown>;
}

interface Instance {
  getStorage?(): Storage | undefined;
}

export interface StorageRules {
  /** What a store in memory may keep; undefined: everything. */
  readonly bounds: () => CheckpointBounds | undefined;
  /** Whether `storage.prune()` is called, which deletes what the program's own retention says and nothing else. */
  readonly prunes: () => boolean;
}

/** After an agent or a workflow was seen. */
const soonMs = 1000;
const pruneEveryMs = 3_600_000;
/** Runs that are over. Others may go on, and one that is suspended waits for its answer. */
const ended = new Set(['success', 'failed', 'canceled', 'bailed', 'tripwire']);

/**
 * Keeps the stores of Mastra bounded where the policy says so. `InMemoryStore` keeps every message of every thread and every result of every
 * workflow for ever (103 KB for a run with an output of 100 KB). Other stores have `prune()`, which nobody calls unless the program does.
 */
export class StorageBounds {
  readonly #rules: StorageRules;
  /** Those that were seen since the last look. */
  readonly #instances = new Set<object>();
  #timer: NodeJS.Timeout | undefined;
  readonly #prunedAt = new WeakMap<object, number>();

  constructor(rules: StorageRules) {
    this.#rules = rules;
  }

  /** An instance works, so that something will be stored. */
  used(instance: object | undefined): void {
    if (instance === undefined) return;
    if (this.#rules.bounds() === undefined && !this.#rules.prunes()) return;
    this.#instances.add(instance);
    this.#timer ??= setTimeout(() => this.#look(), soonMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#instances.clear();
  }

  #look(): void {
    this.#timer = undefined;
    const instances = [...this.#instances];
    this.#instances.clear();
    for (const instance of instances) void this.#bound(instance).catch(() => undefined);
  }

  async #bound(instance: Instance): Promise<void> {
    const storage = instance.getStorage?.();
    if (storage === undefined) return;
    const bounds = this.#rules.bounds();
    if (storage.name === 'InMemoryStorage') {
      if (bounds === undefined) return;
      await boundThreads(await storage.getStore('memory'), bounds.mostThreads);
      await boundRuns(await storage.getStore('workflows'), bounds.mostThreads);
    } else if (this.#rules.prunes() && Date.now() - (this.#prunedAt.get(instance) ?? 0) >= pruneEveryMs) {
      this.#prunedAt.set(instance, Date.now());
      await storage.prune?.();
    }
  }
}

async function boundThreads(store: Store | undefined, most: number): Promise<void> {
  const threads: unknown = store?.db?.threads;
  if (!(threads instanceof Map) || threads.size <= most) return;
  for (const [threadId] of oldest(threads as Map<string, Thread>, most))
    await store?.deleteThread?.({ threadId });
}

async function boundRuns(store: Store | undefined, most: number): Promise<void> {
  const runs: unknown = store?.db?.workflows;
  if (!(runs instanceof Map) || runs.size <= most) return;
  const over = new Map([...(runs as Map<string, WorkflowRow>)].filter(([, row]) => ended.has(statusOf(row))));
  for (const [, { run_id: runId, workflow_name: workflowName }] of oldest(over, most))
    if (runId !== undefined && workflowName !== undefined)
      await store?.deleteWorkflowRunById?.({ runId, workflowName });
}

/** All but the newest so many. */
function oldest<Row extends Thread>(
  rows: Map<string, Row>,
  most: number,
): readonly (readonly [string, Row])[] {
  return [...rows].toSorted(([, a], [, b]) => timeOf(a) - timeOf(b)).slice(0, Math.max(0, rows.size - most));
}

function timeOf({ updatedAt }: Thread): number {
  return updatedAt instanceof Date ? updatedAt.getTime() : 0;
}

function statusOf({ snapshot }: WorkflowRow): string {
  const state: unknown = typeof snapshot === 'string' ? JSON.parse(snapshot) : snapshot;
  return String((state as { status?: unknown } | undefined)?.status);
}
