/**
 * The heaps of worker threads. Each worker has a heap and a limit of its own, which no reading of the main thread shows, and one that
 * reaches its limit may take the whole process with it.
 */
import { BroadcastChannel } from 'node:worker_threads';
import type { Worker } from 'node:worker_threads';
import { warnOnce } from '../errors.ts';
import type { WorkerFloor, WorkerFloors } from './worker-floors.ts';
import type { FloorAnswer, FloorRequest } from './worker-side.ts';

/** One worker thread as the last look found it. */
export interface WorkerRow {
  readonly threadId: number;
  /** The name that the program gave it, else its script, else "worker N". */
  readonly name: string;
  /** Path of its script; null where the preload does not run in workers. */
  readonly script: string | null;
  readonly heapUsed: number;
  readonly external: number;
  /** How far the lowest of its last looks lies above the lowest of its first ones; it has no floors, so this may hold garbage. */
  readonly grownBytes: number;
  /** Where the worker ends: the old generation by `resourceLimits`, or V8's limit for this heap. */
  readonly limitBytes: number;
  /** Wall time of the look. */
  readonly at: number;
}

interface HeapStatistics {
  readonly used_heap_size: number;
  readonly heap_size_limit: number;
  readonly external_memory?: number;
}

interface Watched {
  /** Node.js keeps it alive while the thread runs; it is dropped when the thread ends. */
  readonly worker: Worker & {
    readonly threadName?: string | null;
    getHeapStatistics?: () => Promise<HeapStatistics>;
  };
  isAsked: boolean;
  row: WorkerRow | undefined;
  /** What the first and the last looks found. */
  readonly first: number[];
  readonly last: number[];
  /** In a run with a verdict. */
  floors: WorkerFloors | undefined;
}

/** Between the main thread and what runs of ours inside of its workers. */
export const channelName = 'plimsoll:workers';
const lookMs = 5000;
const mostWorkers = 256;
/** The lowest of so many looks stands for what a worker holds: some of them come soon after a collection. */
const looksEach = 4;
/** Share of its limit from which on a worker is told of: a worker at its limit can abort the process. */
const nearLimit = 0.85;

export class WorkerHeaps {
  readonly #workers = new Map<number, Watched>();
  readonly #scripts = new Map<number, string>();
  #channel: BroadcastChannel | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #wantsFloors = false;

  /** Follows workers that begin from now on. */
  start(): void {
    process.on('worker', this.#follow);
  }

  stop(): void {
    process.off('worker', this.#follow);
    this.#channel?.close();
    this.#channel = undefined;
    this.#workers.clear();
  }

  /** Also asks every worker for its live bytes after a collection, which takes up to 1 % of its time. */
  wantFloors(): void {
    this.#wantsFloors = true;
  }

  /** Asks every worker for its heap, at most every five seconds; the answers are in the rows a moment later. */
  look(nowMs: number): void {
    if (this.#workers.size === 0 || nowMs - this.#lookedAt < lookMs) return;
    this.#lookedAt = nowMs;
    for (const watched of this.#workers.values()) void this.#ask(watched);
  }

  /** The workers that a look has found, each with what it found. */
  workers(): readonly {
    readonly worker: Watched['worker'];
    readonly row: WorkerRow;
    readonly floors: readonly WorkerFloor[];
  }[] {
    return [...this.#workers.values()].flatMap(({ worker, row, floors }) =>
      row === undefined ? [] : [{ worker, row, floors: floors?.list ?? [] }],
    );
  }

  /** Largest first. */
  rows(): readonly WorkerRow[] {
    return [...this.#workers.values()]
      .flatMap(({ row }) => (row === undefined ? [] : [row]))
      .sort((a, b) => b.heapUsed - a.heapUsed);
  }

  readonly #follow = (worker: Worker): void => {
    // Our own threads are no part of the program.
    if (this.#workers.size >= mostWorkers || nameOf(worker).startsWith('plimsoll-')) return;
    this.#listen();
    const id = worker.threadId;
    this.#workers.set(id, {
      worker,
      isAsked: false,
      row: undefined,
      first: [],
      last: [],
      floors: undefined,
    });
    worker.once('exit', () => {
      this.#workers.delete(id);
      this.#scripts.delete(id);
    });
  };

  /** A channel costs a handle, so it is opened with the first worker. */
  #listen(): void {
    if (this.#channel !== undefined) return;
    const channel = new BroadcastChannel(channelName);
    channel.onmessage = ({ data }: { data: unknown }) => {
      const {
        threadId: id,
        script,
        floorBytes,
      } = data as FloorAnswer & { readonly threadId: number; readonly script: string };
      if (typeof floorBytes === 'number')
        this.#workers.get(id)?.floors?.take(data as FloorAnswer, Date.now());
      if (typeof id === 'number' && typeof script === 'string' && this.#scripts.size < mostWorkers)
        this.#scripts.set(id, script);
    };
    channel.unref();
    this.#channel = channel;
  }

  async #ask(watched: Watched): Promise<void> {
    const { worker } = watched;
    // Older than Node.js 22.16: a worker cannot be asked from outside.
    if (watched.isAsked || worker.getHeapStatistics === undefined) return;
    watched.isAsked = true;
    try {
      const id = worker.threadId;
      const found = await worker.getHeapStatistics();
      const script = this.#scripts.get(id) ?? null;
      const name = nameOf(worker);
      watched.row = {
        threadId: id,
        name: name === '' || name === 'WorkerThread' ? (script ?? `worker ${id}`) : name,
        script,
        heapUsed: found.used_heap_size,
        external: found.external_memory ?? 0,
        grownBytes: grownBy(watched, found.used_heap_size),
        limitBytes: limitOf(worker, found.heap_size_limit),
        at: Date.now(),
      };
      if (this.#wantsFloors) {
        // Only a run with a verdict with workers needs it.
        watched.floors ??= new (await import('./worker-floors.ts')).WorkerFloors();
        if (watched.floors.isDue(watched.row.at, found.used_heap_size))
          this.#channel?.postMessage({ floorOf: id } satisfies FloorRequest);
      }
      if (watched.row.heapUsed >= nearLimit * watched.row.limitBytes) warnOf(watched.row);
    } catch {
      // It ended in the meantime.
    } finally {
      watched.isAsked = false;
    }
  }
}

/** Notes what a look found, and says by how much the worker grew. */
function grownBy({ first, last }: Watched, heapUsed: number): number {
  if (first.length < looksEach) first.push(heapUsed);
  last.push(heapUsed);
  if (last.length > looksEach) last.shift();
  return Math.max(0, Math.min(...last) - Math.min(...first));
}

function nameOf(worker: Watched['worker']): string {
  return worker.threadName ?? '';
}

/** A worker ends when its old generation is full; V8's own limit counts the young one, too, which may be three times as large. */
function limitOf({ resourceLimits }: Worker, heapLimit: number): number {
  const old = (resourceLimits?.maxOldGenerationSizeMb ?? 0) * 1024 ** 2;
  return old > 0 ? Math.min(old, heapLimit) : heapLimit;
}

function warnOf({ name, heapUsed, limitBytes }: WorkerRow): void {
  warnOnce('PLM_SENSE_WORKER_NEAR_LIMIT', { name, usedBytes: heapUsed, limitBytes });
}
