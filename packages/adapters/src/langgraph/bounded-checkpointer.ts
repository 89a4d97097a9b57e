import type { Scope } from '@plimsoll/core';
import { sessions } from '@plimsoll/core/adapter';
import { failure } from '@plimsoll/core/internal/errors';

/** What a checkpointer in memory may keep. */
export interface CheckpointBounds {
  /** Most threads; the one that was written longest ago is deleted first. */
  readonly mostThreads: number;
  /** Newest checkpoints kept of each thread and namespace, at least 1. Default 1: enough to go on, not to look back. */
  readonly keepLast?: number;
}

type Bytes = { readonly byteLength?: number };
type Config = { readonly configurable?: { readonly thread_id?: string } };

/** `MemorySaver` as far as it is used here. */
interface MemorySaver {
  readonly storage: Record<string, Record<string, Record<string, readonly Bytes[]>>>;
  readonly writes: Record<string, Record<string, readonly unknown[]>>;
  put(config: Config, ...rest: unknown[]): Promise<unknown>;
  deleteThread(thread: string): Promise<void>;
}

/**
 * Bounds a `MemorySaver` in place and returns it. Unbounded, it keeps every checkpoint of every thread, each with the whole state: 400 turns
 * of one conversation were 1.4 GB of ArrayBuffers. The bytes of a thread are charged to the session of that name while one is open.
 * Channels that store deltas (`MessagesDeltaValue`) need their history: give them a `keepLast` above the length of a conversation.
 */
export function boundedCheckpointer<S extends object>(saver: S, bounds: CheckpointBounds): S {
  const { mostThreads, keepLast = 1 } = bounds;
  for (const [option, value] of Object.entries({ mostThreads, keepLast }))
    if (!(value >= 1)) throw failure('PLM_ADAPTER_BAD_BOUND', { option, value: String(value) });
  const memory = saver as unknown as MemorySaver;
  const put = memory.put.bind(memory);
  const charges = new Map<string, Charge | undefined>();
  memory.put = async (config, ...rest) => {
    const result = await put(config, ...rest);
    const thread = config.configurable?.thread_id;
    if (thread === undefined) return result;
    prune(memory, thread, keepLast);
    const charge = chargeOf(thread, charges.get(thread));
    charge?.line.set(bytesOf(memory, thread));
    charges.delete(thread);
    charges.set(thread, charge);
    for (const [oldest, old] of charges) {
      if (charges.size <= mostThreads) break;
      charges.delete(oldest);
      old?.line.close();
      await memory.deleteThread(oldest);
    }
    return result;
  };
  return saver;
}

/** What a thread is charged to: the session of its name, which may have closed and begun again since the last turn. */
interface Charge {
  readonly session: Scope;
  readonly line: ReturnType<Scope['line']>;
}

function chargeOf(thread: string, known: Charge | undefined): Charge | undefined {
  const session = sessions().get(thread);
  if (session === undefined || session === known?.session) return session && known;
  return { session, line: session.line('checkpoints') };
}

/** Deletes all but the newest checkpoints of a thread, with their pending writes. Ids rise with time. */
function prune({ storage, writes }: MemorySaver, thread: string, keepLast: number): void {
  for (const [namespace, checkpoints] of Object.entries(storage[thread] ?? {})) {
    const ids = Object.keys(checkpoints).sort();
    for (const id of ids.slice(0, Math.max(0, ids.length - keepLast))) {
      delete checkpoints[id];
      delete writes[JSON.stringify([thread, namespace, id])];
    }
  }
}

function bytesOf({ storage }: MemorySaver, thread: string): number {
  return Object.values(storage[thread] ?? {})
    .flatMap((checkpoints) => Object.values(checkpoints))
    .flat()
    .reduce((sum, part) => sum + (part?.byteLength ?? 0), 0);
}
