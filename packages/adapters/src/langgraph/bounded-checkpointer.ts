import type { Scope } from '@plimsoll/core';
import { sessions } from '@plimsoll/core/adapter';
import { failure } from '@plimsoll/core/internal/errors';

/** What a checkpointer in memory may keep. */
export interface CheckpointBounds {
  /** Most threads; the one that was written longest ago is deleted first. */
  readonly mostThreads: number;
  /** Newest checkpoints kept of each thread and namespace, at least 1. Default 1: enough to go on, not to look back. */
  readonly keepLast?: number;
  /** Most bytes of all threads together; the thread that was written longest ago is deleted first. Default: no bound by bytes. */
  readonly mostBytes?: number;
}

type Bytes = { readonly byteLength?: number };

export interface CheckpointConfig {
  readonly configurable?: {
    readonly thread_id?: string;
    readonly checkpoint_ns?: string;
    readonly checkpoint_id?: string;
  };
}

/** `MemorySaver` as far as it is used here. */
export interface MemorySaver {
  readonly storage: Record<string, Record<string, Record<string, readonly Bytes[]>>>;
  readonly writes: Record<string, Record<string, readonly unknown[]>>;
  put(config: CheckpointConfig, ...rest: unknown[]): Promise<unknown>;
  deleteThread(thread: string): Promise<void>;
}

/** Namespaces of graphs inside graphs that are kept of a thread; each call of one makes another. */
const mostNamespaces = 32;

/**
 * Bounds a `MemorySaver` in place and returns it. Unbounded, it keeps every checkpoint of every thread, each with the whole state: 400 turns
 * of one conversation were 1.4 GB of ArrayBuffers. The bytes of a thread are charged to the session of that name while one is open.
 * Channels that store deltas (`MessagesDeltaValue`) need their history: give them a `keepLast` above the length of a conversation.
 */
export function boundedCheckpointer<S extends object>(saver: S, bounds: CheckpointBounds): S {
  const { mostThreads, keepLast = 1, mostBytes = Infinity } = bounds;
  for (const [option, value] of Object.entries({ mostThreads, keepLast, mostBytes }))
    if (!(value >= 1)) throw failure('PLM_ADAPTER_BAD_BOUND', { option, value: String(value) });
  const memory = saver as unknown as MemorySaver;
  const put = memory.put.bind(memory);
  const kept = new KeptThreads(memory);
  memory.put = async (config, ...rest) => {
    const result = await put(config, ...rest);
    await kept.written(config, result as CheckpointConfig | undefined, bounds);
    return result;
  };
  return saver;
}

interface Thread {
  bytes: number;
  charge: Charge | undefined;
}

/** What a thread is charged to: the session of its name, which may have closed and begun again since the last turn. */
interface Charge {
  readonly session: Scope;
  readonly line: ReturnType<Scope['line']>;
}

/** The threads of one `MemorySaver` in the order in which they were written last. */
export class KeptThreads {
  readonly #memory: MemorySaver;
  readonly #threads = new Map<string, Thread>();
  #bytes = 0;

  constructor(memory: MemorySaver) {
    this.#memory = memory;
  }

  /** Called after a checkpoint was put; without bounds its bytes are charged, and nothing is deleted. */
  async written(
    config: CheckpointConfig,
    made: CheckpointConfig | undefined,
    bounds: CheckpointBounds | undefined,
  ): Promise<void> {
    const id = config.configurable?.thread_id;
    if (id === undefined) return;
    const thread = this.#threads.get(id) ?? { bytes: 0, charge: undefined };
    this.#threads.delete(id);
    this.#threads.set(id, thread);
    if (bounds === undefined) this.#add(thread, bytesOfOne(this.#memory, made));
    else {
      prune(this.#memory, id, bounds.keepLast ?? 1);
      this.#add(thread, bytesOf(this.#memory, id) - thread.bytes);
    }
    thread.charge = chargeOf(id, thread.charge);
    thread.charge?.line.set(thread.bytes);
    if (bounds !== undefined) await this.#shrink(id, bounds);
  }

  /** Forgets a thread that the program deleted. */
  deleted(id: string): void {
    const thread = this.#threads.get(id);
    if (thread === undefined) return;
    this.#threads.delete(id);
    this.#bytes -= thread.bytes;
    thread.charge?.line.close();
  }

  #add(thread: Thread, bytes: number): void {
    thread.bytes += bytes;
    this.#bytes += bytes;
  }

  async #shrink(current: string, { mostThreads, mostBytes = Infinity }: CheckpointBounds): Promise<void> {
    for (const id of this.#threads.keys()) {
      if (this.#threads.size <= mostThreads && this.#bytes <= mostBytes) break;
      if (id === current) break;
      this.deleted(id);
      await this.#memory.deleteThread(id);
    }
  }
}

function chargeOf(thread: string, known: Charge | undefined): Charge | undefined {
  const session = sessions().get(thread);
  if (session === undefined || session === known?.session) return session && known;
  return { session, line: session.line('checkpoints') };
}

/** Deletes all but the newest checkpoints of a thread, with their pending writes. Ids rise with time. */
function prune({ storage, writes }: MemorySaver, thread: string, keepLast: number): void {
  const spaces = storage[thread] ?? {};
  const forget = (namespace: string, id: string): void => {
    delete spaces[namespace]?.[id];
    delete writes[JSON.stringify([thread, namespace, id])];
  };
  const inner = Object.keys(spaces).filter((namespace) => namespace !== '');
  for (const namespace of inner.slice(0, Math.max(0, inner.length - mostNamespaces))) {
    for (const id of Object.keys(spaces[namespace] ?? {})) forget(namespace, id);
    delete spaces[namespace];
  }
  for (const [namespace, checkpoints] of Object.entries(spaces)) {
    const ids = Object.keys(checkpoints).sort();
    for (const id of ids.slice(0, Math.max(0, ids.length - keepLast))) forget(namespace, id);
  }
}

function bytesOf({ storage }: MemorySaver, thread: string): number {
  return Object.values(storage[thread] ?? {})
    .flatMap((checkpoints) => Object.values(checkpoints))
    .reduce((sum, parts) => sum + sumOf(parts), 0);
}

function bytesOfOne({ storage }: MemorySaver, made: CheckpointConfig | undefined): number {
  const { thread_id: thread, checkpoint_ns: space, checkpoint_id: id } = made?.configurable ?? {};
  if (thread === undefined || space === undefined || id === undefined) return 0;
  return sumOf(storage[thread]?.[space]?.[id] ?? []);
}

function sumOf(parts: readonly Bytes[]): number {
  return parts.reduce((sum, part) => sum + (part?.byteLength ?? 0), 0);
}
