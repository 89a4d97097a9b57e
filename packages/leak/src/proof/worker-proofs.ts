import { createWriteStream, renameSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Worker } from 'node:worker_threads';
import { stopMsOf } from '@plimsoll/heap/capture-cost';
import { makeOwnFolder } from '@plimsoll/core/internal/own-path';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import type { WorkerRow } from '@plimsoll/core/internal/sense/worker-heaps';
import type { WorkerFloor } from '@plimsoll/core/internal/sense/worker-floors';
import { heapChannel, judgeGrowth, type Judgement } from '../judge/growth-shape.ts';
import type { Capture, GrowthRecord, WorkerRecord } from './growth-record.ts';

/** A worker thread with the last reading of its heap. */
interface LookedAtWorker {
  readonly worker: Pick<Worker, 'getHeapSnapshot'> & {
    getHeapStatistics?: () => Promise<{ readonly used_heap_size: number }>;
  };
  readonly row: WorkerRow;
  readonly floors?: readonly WorkerFloor[];
}

/** Knows the worker threads of this process. */
export interface WorkerSource {
  workers(): readonly LookedAtWorker[];
  wantFloors?(): void;
}

interface WorkerProofsOptions {
  readonly dir: string;
  /** Longest stop of a worker thread. */
  readonly maxPauseMs: number;
  readonly now?: () => number;
  /** How much slower the machine is than an idle one. */
  readonly slowness?: () => number;
}

interface Proving {
  readonly row: WorkerRow;
  /** When half of the growth was there that the first snapshot was taken for. */
  readonly since: number;
  readonly captures: Capture[];
  /** The newest readings after the last snapshot, oldest first. */
  later: WorkerRow[];
}

/** Least growth of a worker's heap by its readings, which include garbage, for a verdict that is not clean. */
const leastGrownBytes = 4 * 1024 ** 2;
const leastGrownRatio = 0.25;
/** The same for a snapshot, which stops only the worker. */
const suspectBytes = 2 * 1024 ** 2;
/** Least time between two snapshots of a worker, and least gain since the previous one. */
const distanceMs = 25_000;
const leastGainBytes = 1024 ** 2;
/** Least time when the predicted stop has reached this share of the allowed one, because the growing heap soon fits no more. */
const lastChanceMs = 12_000;
const lastChanceRatio = 0.4;
/** So many readings after the third snapshot, over 20 s, include one soon after a collection. */
const laterReadings = 4;
/** Near snapshots need a reading this long after the third one. */
const laterMs = 30_000;
/** Least share of the pace until a later reading. Garbage only adds to it; the load may fall a little. */
const laterRatio = 0.8;
/** Time between two readings. */
const lookMs = 5000;
/**
 * Three snapshots distinguish a rising container from one that fills up: the second step must have this share of the slope of the first.
 */
const snapshots = 3;
const steadyRatio = 0.5;
/** Most workers of one process that are proved, because workers of one script leak alike. */
const mostWorkers = 2;
/** Factor on predicted stops. */
const stopMargin = 1.25;
/** After a stop that was this many times longer than allowed, no worker is stopped any more. */
const overrunRatio = 1.5;
/** Most memory that a snapshot needs, per byte of the heap. */
const neededRatio = 12;
const reserveBytes = 256 * 1024 ** 2;
const hourMs = 3_600_000;

/** With fewer floors only the readings and the snapshots tell. */
const fewestFloors = 8;
/** Growth of the floors for a snapshot. */
const floorGainBytes = 512 * 1024;
/** Most workers whose floors are recorded. */
const mostRecorded = 8;

/** Whether the heap of a worker grew by its readings: by this share of what counts. */
export function hasGrown(
  { grownBytes, heapUsed }: WorkerRow,
  leastBytes = leastGrownBytes,
  share = 1,
): boolean {
  return grownBytes >= share * leastBytes && grownBytes >= share * leastGrownRatio * (heapUsed - grownBytes);
}

/**
 * Takes snapshots of worker threads whose heaps grow. A snapshot stops the worker and not the main thread. V8 collects before it writes, so
 * each one is also a floor.
 */
export class WorkerProofs {
  readonly #options: WorkerProofsOptions;
  readonly #now: () => number;
  readonly #proving = new Map<number, Proving>();
  /** When each worker had grown by half of what a snapshot is taken for, and still has. */
  #halfway = new Map<number, number>();
  #floored: readonly LookedAtWorker[] = [];
  #isBusy = false;
  #hasOverrun = false;

  constructor(options: WorkerProofsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  get records(): readonly WorkerRecord[] {
    const proved = [...this.#proving.values()].filter(({ captures }) => captures.length > 0);
    const known = new Set(proved.map(({ row }) => row.threadId));
    const others = this.#floored.filter(({ row }) => !known.has(row.threadId));
    return [
      ...proved.map(({ row, since, captures, later }) => ({
        ...this.#recordOf(row, captures),
        since,
        grownBytes: row.grownBytes,
        captures: [...captures],
        ...(later.length === laterReadings && { later: lowestOf(later) }),
      })),
      ...others.map(({ row }) => ({ ...this.#recordOf(row, []), captures: [] })),
    ];
  }

  #recordOf(
    { threadId, name, script }: WorkerRow,
    captures: readonly Capture[],
  ): Pick<WorkerRecord, 'name' | 'script' | 'floors'> {
    const floors = this.#floored.find(({ row }) => row.threadId === threadId)?.floors;
    return { name, script, ...(floors !== undefined && { floors: withoutStops(floors, captures) }) };
  }

  /** Takes the next snapshot that is due; resolves when it is written. */
  async look(workers: readonly LookedAtWorker[]): Promise<void> {
    for (const { row } of workers) this.#read(row);
    this.#floored = workers.filter(({ floors = [] }) => floors.length >= fewestFloors).slice(0, mostRecorded);
    this.#halfway = new Map(
      workers
        .filter(({ row }) => hasGrown(row, suspectBytes, 0.5))
        .map(({ row }) => [row.threadId, this.#halfway.get(row.threadId) ?? row.at]),
    );
    if (this.#isBusy || this.#hasOverrun || this.#options.maxPauseMs <= 0) return;
    const due = workers.find((each) => this.#isDue(each));
    if (due === undefined) return;
    this.#isBusy = true;
    try {
      await this.#take(due);
    } catch {
      // The worker ended in the meantime, or the disk is full.
    } finally {
      this.#isBusy = false;
    }
  }

  discard(): void {
    for (const { captures } of this.#proving.values()) for (const { file } of captures) removeFile(file);
    this.#proving.clear();
  }

  #read(row: WorkerRow): void {
    const later = this.#proving.get(row.threadId)?.later;
    if (later === undefined || later.at(-1)?.at === row.at) return;
    later.push(row);
    if (later.length > laterReadings) later.shift();
  }

  #isDue({ row, floors = [] }: LookedAtWorker): boolean {
    const known = this.#proving.get(row.threadId);
    const last = known?.captures.at(-1);
    const isSuspected = hasGrown(row, suspectBytes) || haveRisen(floors);
    if (known === undefined && (this.#proving.size >= mostWorkers || !isSuspected)) return false;
    if (known !== undefined && known.captures.length >= snapshots) return false;
    const isApart =
      last === undefined ||
      (this.#now() - last.at >= this.#distanceMs(row, known) &&
        row.heapUsed - last.heapBytes >= leastGainBytes);
    return isApart && this.#fits(row.heapUsed);
  }

  /** Slow growth was seen for a while before the first snapshot, so that fewer seconds are left to watch; each step has to gain as much. */
  #distanceMs({ heapUsed }: WorkerRow, known: Proving | undefined): number {
    const isLastChance = this.#stopMsOf(heapUsed) > lastChanceRatio * this.#options.maxPauseMs;
    if (isLastChance) return lastChanceMs;
    const seenMs = known === undefined ? 0 : (known.captures[0]?.at ?? known.since) - known.since;
    return Math.min(distanceMs, Math.max(seenMs, distanceMs - seenMs / 2));
  }

  #fits(bytes: number): boolean {
    if (this.#stopMsOf(bytes) > this.#options.maxPauseMs) return false;
    return neededRatio * bytes + reserveBytes < process.availableMemory();
  }

  #stopMsOf(bytes: number): number {
    return stopMargin * (this.#options.slowness?.() ?? 1) * stopMsOf(bytes);
  }

  async #take({ worker, row }: LookedAtWorker): Promise<void> {
    const { dir } = this.#options;
    const since = this.#halfway.get(row.threadId) ?? this.#now();
    const proving = this.#proving.get(row.threadId) ?? { row, since, captures: [], later: [] };
    this.#proving.set(row.threadId, proving);
    makeOwnFolder(dir);
    const name = `${process.pid}.worker-${row.threadId}-${proving.captures.length + 1}.heapsnapshot`;
    const file = join(dir, name);
    const started = performance.now();
    try {
      const stream = await worker.getHeapSnapshot();
      const stopMs = Math.round(performance.now() - started);
      this.#hasOverrun ||= stopMs > overrunRatio * this.#options.maxPauseMs;
      // The garbage is gone, so the used bytes are the live bytes.
      const heapBytes = (await worker.getHeapStatistics?.())?.used_heap_size ?? row.heapUsed;
      await pipeline(stream, createWriteStream(`${file}.partial`, { mode: 0o600 }));
      renameSync(`${file}.partial`, file);
      proving.captures.push({ file, at: this.#now(), stopMs, heapBytes });
      proving.later = [];
    } catch (error) {
      removeFile(`${file}.partial`);
      throw error;
    }
  }
}

/**
 * The floors with the snapshots cut out: a worker is busy for as long as one takes, and V8 drops its caches of compiled code for it. The
 * next floor goes on where the one before ended.
 */
function withoutStops(floors: readonly WorkerFloor[], captures: readonly Capture[]): readonly WorkerFloor[] {
  let [bytesOff, workOff] = [0, 0];
  return floors.map((floor, i) => {
    const before = floors[i - 1];
    if (before !== undefined && captures.some(({ at }) => at > before.at && at <= floor.at)) {
      bytesOff += before.bytes - floor.bytes;
      workOff += before.work - floor.work;
    }
    return { at: floor.at, work: floor.work + workOff, bytes: floor.bytes + bytesOff };
  });
}

function haveRisen(floors: readonly WorkerFloor[]): boolean {
  if (floors.length < fewestFloors) return false;
  const { shape, growthBytes } = judgeGrowth(floors, heapChannel);
  return growthBytes >= floorGainBytes && shape !== 'ended' && shape !== 'slowing';
}

function lowestOf(rows: readonly WorkerRow[]): NonNullable<WorkerRecord['later']> {
  const { at, heapUsed } = rows.reduce((a, b) => (b.heapUsed < a.heapUsed ? b : a));
  return { at, heapBytes: heapUsed };
}

/** The record of a process with only the worker's heap, so that the same rules judge it. */
export function workerGrowth(record: GrowthRecord, worker: WorkerRecord): GrowthRecord {
  const { captures, floors = [] } = worker;
  const [first = null, second = null, third = null] = captures;
  const isFloored = floors.length >= fewestFloors;
  const bytes = isFloored ? floors.map((floor) => floor.bytes) : captures.map(({ heapBytes }) => heapBytes);
  const rest: Judgement = {
    shape: 'flat',
    growthBytes: 0,
    floors: bytes.length,
    odds: 0,
    model: 'flat',
    rate: { perHour: 0, low: 0, high: 0 },
  };
  const heap = isFloored ? judgeGrowth(floors, heapChannel) : heapOf(worker, rest);
  return {
    ...record,
    channels: { heap, external: rest, native: rest },
    first: second === null ? null : first,
    middle: third === null ? null : second,
    last: third ?? second ?? first,
    floors: bytes,
    sites: [],
    containers: [],
    workers: [],
  };
}

/**
 * Growth over three snapshots that does not slow down has the shape of a leak. With fewer it is undecided. A later reading includes garbage,
 * so the live bytes are at most that much: when they are too few for the pace, the growth has ended.
 */
function heapOf(worker: WorkerRecord, rest: Judgement): Judgement {
  const { captures, later, since } = worker;
  const [first, second, third] = captures;
  const last = third ?? second;
  if (first !== undefined && second === undefined) return suspectedBy(worker, first, rest);
  if (first === undefined || second === undefined || last === undefined) return { ...rest, shape: 'few' };
  const growthBytes = last.heapBytes - first.heapBytes;
  const pace = (a: Reading, b: Reading): number => (b.heapBytes - a.heapBytes) / Math.max(1, b.at - a.at);
  const perHour = Math.round(pace(first, last) * hourMs);
  const grown = { ...rest, growthBytes, rate: { perHour, low: perHour, high: perHour } };
  if (third === undefined) return { ...grown, shape: 'unclear' };
  // A cache that fills for half a minute also grows from each of three near snapshots to the next.
  const isNear = third.at - (since ?? first.at) < 2 * distanceMs;
  if (isNear && (later === undefined || later.at - third.at < laterMs)) return { ...grown, shape: 'few' };
  if (later !== undefined && pace(third, later) < laterRatio * pace(first, third))
    return { ...grown, shape: 'ended' };
  const isSteady = pace(second, third) >= steadyRatio * pace(first, second) && pace(first, second) > 0;
  return { ...grown, shape: isSteady ? 'growing' : 'slowing', odds: isSteady ? Math.log(5) : 0 };
}

/** With one snapshot its readings have to do: they say that the growth is over when it would be higher by now, with all garbage. */
function suspectedBy(
  { later, since, grownBytes = 0 }: WorkerRecord,
  first: Capture,
  rest: Judgement,
): Judgement {
  const pace = grownBytes / 2 / Math.max(lookMs, first.at - (since ?? first.at));
  const isOver =
    later !== undefined && later.heapBytes - first.heapBytes < laterRatio * pace * (later.at - first.at);
  return { ...rest, shape: isOver ? 'ended' : 'few', growthBytes: grownBytes };
}

type Reading = Pick<Capture, 'at' | 'heapBytes'>;
