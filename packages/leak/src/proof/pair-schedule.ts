import type { Taken } from './capture.ts';
import type { Capture } from './growth-record.ts';

/** A channel of the detector that looks like a leak, or is confirmed as one. */
export interface Lead {
  readonly fingerprint: string;
  readonly channel: string;
}

/** Two snapshots of one suspicion. */
export interface Pair {
  readonly lead: Lead;
  readonly suspectedAt: number;
  readonly first: Capture;
  readonly last: Capture;
}

export interface PairScheduleOptions {
  /** Takes a snapshot now, or says why not. */
  readonly take: (name: 'pair-first' | 'pair-last', heapBytes: number) => Taken;
  readonly remove: (capture: Capture) => void;
  /** Age of the process from which on the detector's suspicions count; default 30 min: until then the recorder has its own. */
  readonly fromMs?: number;
  /** Least distance of the two snapshots; default 10 min. */
  readonly pairMs?: number;
  /** Longest wait for the growth that a second snapshot is to show; default 12 h. */
  readonly patienceMs?: number;
  /** Time between the end of one pair and the beginning of the next; default 1 h. */
  readonly cooldownMs?: number;
}

const minuteMs = 60_000;
/** A second snapshot shows what grew only if enough did. */
const leastGainBytes = 1024 * 1024;
const leastGainRatio = 0.01;

/**
 * The pair of growth that begins late in the life of a process: a snapshot when the detector first suspects it, a second when the
 * floor has gained enough to show what grew. Never twice for one fingerprint, never two at a time, and a suspicion that is dropped
 * meanwhile takes its snapshot with it.
 */
export class PairSchedule {
  readonly #take: PairScheduleOptions['take'];
  readonly #remove: PairScheduleOptions['remove'];
  readonly #fromMs: number;
  readonly #pairMs: number;
  readonly #patienceMs: number;
  readonly #cooldownMs: number;
  readonly #done = new Set<string>();
  #open: { lead: Lead; suspectedAt: number; first: Capture } | undefined;
  #notBefore = 0;

  constructor(options: PairScheduleOptions) {
    this.#take = options.take;
    this.#remove = options.remove;
    this.#fromMs = options.fromMs ?? 30 * minuteMs;
    this.#pairMs = options.pairMs ?? 10 * minuteMs;
    this.#patienceMs = options.patienceMs ?? 12 * 60 * minuteMs;
    this.#cooldownMs = options.cooldownMs ?? 60 * minuteMs;
  }

  /** Takes what the detector suspects now, by a clock that starts with the process; the pair when it is complete. */
  pursue(leads: readonly Lead[], nowMs: number, at: number, floorBytes: number): Pair | undefined {
    if (this.#open !== undefined) return this.#goOn(this.#open, leads, nowMs, at, floorBytes);
    if (nowMs < this.#fromMs || nowMs < this.#notBefore) return undefined;
    const lead = leads.find(({ fingerprint }) => !this.#done.has(fingerprint));
    if (lead === undefined) return undefined;
    const { capture } = this.#take('pair-first', floorBytes);
    if (capture === null) this.#notBefore = nowMs + this.#cooldownMs;
    else this.#open = { lead, suspectedAt: nowMs, first: { ...capture, at } };
    return undefined;
  }

  /** Leaves no file behind. */
  stop(): void {
    if (this.#open !== undefined) this.#remove(this.#open.first);
    this.#open = undefined;
  }

  #goOn(
    open: { lead: Lead; suspectedAt: number; first: Capture },
    leads: readonly Lead[],
    nowMs: number,
    at: number,
    floorBytes: number,
  ): Pair | undefined {
    const { lead, suspectedAt, first } = open;
    const waitedMs = nowMs - suspectedAt;
    const isSuspect = leads.some(({ fingerprint }) => fingerprint === lead.fingerprint);
    if (!isSuspect || waitedMs > this.#patienceMs) {
      this.#end(nowMs);
      this.#remove(first);
      return undefined;
    }
    const isHeap = lead.channel === 'heap' || lead.channel === 'population';
    const gain = Math.max(leastGainBytes, leastGainRatio * first.heapBytes);
    if (waitedMs < this.#pairMs || (isHeap && floorBytes - first.heapBytes < gain)) return undefined;
    const { capture } = this.#take('pair-last', floorBytes);
    // Refused because the heap has grown too large: it will not become smaller.
    this.#done.add(lead.fingerprint);
    this.#end(nowMs);
    if (capture !== null) return { lead, suspectedAt: first.at, first, last: { ...capture, at } };
    this.#remove(first);
    return undefined;
  }

  #end(nowMs: number): void {
    this.#open = undefined;
    this.#notBefore = nowMs + this.#cooldownMs;
  }
}
