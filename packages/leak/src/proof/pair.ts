import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { forgetObjectIds } from '@plimsoll/core/internal/inspector';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import type { Channel } from '../judge/verdict.ts';
import type { Finding } from '../findings/finding.ts';
import { takeSnapshot } from './capture.ts';
import type { Taken } from './capture.ts';
import type { Capture, GrowthRecord, RecordedChannel } from './growth-record.ts';
import type { SnapshotAnalysis } from './snapshot-analysis.ts';

/** A channel that grows by the long run, suspected or confirmed. */
export interface GrowingChannel {
  readonly fingerprint: string;
  readonly channel: Channel;
}

/** Two snapshots of one suspicion. */
export interface Pair {
  readonly suspect: GrowingChannel;
  readonly suspectedAt: number;
  readonly first: Capture;
  readonly last: Capture;
}

interface PairScheduleOptions {
  /** Takes a snapshot now, or returns why not. */
  readonly take: (name: 'pair-first' | 'pair-last', heapBytes: number) => Taken;
  readonly remove: (capture: Capture) => void;
  /** Age of the process from which on pairs are taken; default 30 min. Before that the recorder takes its own. */
  readonly fromMs?: number;
  /** Least time between the two snapshots; default 10 min. */
  readonly pairMs?: number;
  /** Longest wait for enough growth for a second snapshot; default 12 h. */
  readonly patienceMs?: number;
  /** Time between the end of one pair and the beginning of the next; default 1 h. */
  readonly cooldownMs?: number;
}

const minuteMs = 60_000;
/** Least growth of the floor before a second snapshot. */
const leastGainBytes = 1024 * 1024;
const leastGainRatio = 0.01;

/**
 * Decides when the two snapshots of late growth are taken: the first when the long run suspects growth, the second when the floor has
 * gained enough. There is one pair per fingerprint and one at a time. The first snapshot is removed when the suspicion ends.
 */
export class PairSchedule {
  readonly #take: PairScheduleOptions['take'];
  readonly #remove: PairScheduleOptions['remove'];
  readonly #fromMs: number;
  readonly #pairMs: number;
  readonly #patienceMs: number;
  readonly #cooldownMs: number;
  readonly #done = new Set<string>();
  #open: { suspect: GrowingChannel; suspectedAt: number; first: Capture } | undefined;
  #notBefore = 0;

  constructor(options: PairScheduleOptions) {
    this.#take = options.take;
    this.#remove = options.remove;
    this.#fromMs = options.fromMs ?? 30 * minuteMs;
    this.#pairMs = options.pairMs ?? 10 * minuteMs;
    this.#patienceMs = options.patienceMs ?? 12 * 60 * minuteMs;
    this.#cooldownMs = options.cooldownMs ?? 60 * minuteMs;
  }

  /** Takes the current suspicions; `nowMs` counts from the start of the process. Returns the pair when it is complete. */
  next(growing: readonly GrowingChannel[], nowMs: number, at: number, floorBytes: number): Pair | undefined {
    if (this.#open !== undefined) return this.#goOn(this.#open, growing, nowMs, at, floorBytes);
    if (nowMs < this.#fromMs || nowMs < this.#notBefore) return undefined;
    const suspect = growing.find(({ fingerprint }) => !this.#done.has(fingerprint));
    if (suspect === undefined) return undefined;
    const { capture } = this.#take('pair-first', floorBytes);
    if (capture === null) this.#notBefore = nowMs + this.#cooldownMs;
    else this.#open = { suspect, suspectedAt: nowMs, first: { ...capture, at } };
    return undefined;
  }

  /** Stops and removes its files. */
  stop(): void {
    if (this.#open !== undefined) this.#remove(this.#open.first);
    this.#open = undefined;
  }

  #goOn(
    open: { suspect: GrowingChannel; suspectedAt: number; first: Capture },
    growing: readonly GrowingChannel[],
    nowMs: number,
    at: number,
    floorBytes: number,
  ): Pair | undefined {
    const { suspect, suspectedAt, first } = open;
    const waitedMs = nowMs - suspectedAt;
    const isSuspect = growing.some(({ fingerprint }) => fingerprint === suspect.fingerprint);
    if (!isSuspect || waitedMs > this.#patienceMs) {
      this.#end(nowMs);
      this.#remove(first);
      return undefined;
    }
    const isHeap = suspect.channel === 'heap' || suspect.channel === 'population';
    const gain = Math.max(leastGainBytes, leastGainRatio * first.heapBytes);
    if (waitedMs < this.#pairMs || (isHeap && floorBytes - first.heapBytes < gain)) return undefined;
    const { capture } = this.#take('pair-last', floorBytes);
    // Refused because the heap is too large, which will not change.
    this.#done.add(suspect.fingerprint);
    this.#end(nowMs);
    if (capture !== null) return { suspect, suspectedAt: first.at, first, last: { ...capture, at } };
    this.#remove(first);
    return undefined;
  }

  #end(nowMs: number): void {
    this.#open = undefined;
    this.#notBefore = nowMs + this.#cooldownMs;
  }
}

export interface GrowthPairsOptions {
  readonly dir: string;
  readonly maxPauseMs: number;
  /** What the long run suspects of growing. */
  readonly growing: () => readonly (GrowingChannel & { readonly growthBytes: number })[];
  /** The record of the recorder, as the base of a proof. */
  readonly record: () => GrowthRecord;
  /** Called with growth that the snapshots explain. */
  readonly onProof: (channel: Channel, findings: readonly Finding[]) => void;
  /** Analyses two snapshots in another process. */
  readonly analyze: (last: Capture, first: Capture) => Promise<SnapshotAnalysis | undefined>;
  /** Monotonic ms since the process began. */
  readonly now?: () => number;
  readonly limits?: Pick<PairScheduleOptions, 'fromMs' | 'pairMs' | 'patienceMs' | 'cooldownMs'>;
}

const lookMs = 60_000;

/** Proves suspected growth of a long run with two snapshots, while the program runs. */
export class GrowthPairs {
  readonly #options: GrowthPairsOptions;
  readonly #schedule: PairSchedule;
  readonly #now: () => number;
  #lookAt = 0;

  constructor(options: GrowthPairsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#schedule = new PairSchedule({
      take: (name, heapBytes) =>
        takeSnapshot({ dir: options.dir, name, maxStopMs: options.maxPauseMs, heapBytes }),
      remove: ({ file }) => {
        removeFile(file);
        forgetObjectIds();
      },
      ...options.limits,
    });
  }

  /** Called once a minute with a reading. Resolves when a pair, if there is one, has been analysed. */
  async take(reading: Reading): Promise<void> {
    const now = this.#now();
    if (now < this.#lookAt || reading.floor === undefined) return;
    this.#lookAt = now + lookMs;
    try {
      const pair = this.#schedule.next(this.#options.growing(), now, reading.at, reading.floor);
      if (pair !== undefined) await this.#proofOf(pair);
    } catch {
      // A full disk or a V8 that refuses: the suspicion stays one.
    }
  }

  stop(): void {
    this.#schedule.stop();
  }

  async #proofOf(pair: Pair): Promise<void> {
    const { first, last } = pair;
    try {
      const analysis = await this.#options.analyze(last, first);
      const { proofOf } = await import('./proof.ts');
      const { verdict, findings } = proofOf(this.#record(pair), analysis);
      if (verdict === 'leak') this.#options.onProof(pair.suspect.channel, findings);
    } finally {
      removeFile(first.file);
      removeFile(last.file);
      forgetObjectIds();
    }
  }

  #record({ suspect, first, last, suspectedAt }: Pair): GrowthRecord {
    const seen = this.#options.record();
    const channel: RecordedChannel = suspect.channel === 'population' ? 'heap' : suspect.channel;
    const known = this.#options.growing().find(({ fingerprint }) => fingerprint === suspect.fingerprint);
    const gained = last.heapBytes - first.heapBytes;
    const growthBytes = channel === 'heap' ? gained : (known?.growthBytes ?? gained);
    const growing = { ...seen.channels[channel], shape: 'growing' as const, growthBytes };
    return {
      ...seen,
      // The rate is that of the pair and not of the whole life.
      startedAt: first.at,
      at: last.at,
      channels: { ...seen.channels, [channel]: growing },
      suspectedAt,
      first,
      last,
      floors: [first.heapBytes, last.heapBytes],
    };
  }
}
