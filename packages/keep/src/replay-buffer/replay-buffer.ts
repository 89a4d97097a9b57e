import { failure } from '@plimsoll/core/internal/errors';
import { badOption } from '../bound.ts';
import type { Keeper, KeeperFigures, ShedRequest } from '@plimsoll/core/keeper';
import { KeeperEntry } from '../keeper-entry.ts';
import { ReportBoard } from '../report-board.ts';
import { Alarm } from '@plimsoll/core/internal/alarm';
import { blockersOf, Brake } from './brake.ts';
import type { ChunkLog } from './chunk-log.ts';
import { ChunkStore } from './chunk-store.ts';
import type { ReplayBufferEvents } from './events.ts';
import { ReplayReader } from './reader.ts';
import { lagOption, readReplaySettings } from './settings.ts';
import type { LagPolicy, ReplayBufferOptions, ReplaySettings } from './settings.ts';

export interface SubscribeOptions {
  /** Where to start: the first chunk (default), the next one pushed, or after so many chunks, as `reader.seq` says. */
  readonly from?: 'start' | 'now' | number;
  /** What happens when this reader is too slow; default as the buffer says. */
  readonly lag?: LagPolicy;
  /** Ends the reading; the reader gets its reason. */
  readonly signal?: AbortSignal;
  /** Name in reports, default "reader N". */
  readonly name?: string;
}

/** What a buffer holds and did. */
export interface ReplayBufferStats {
  readonly state: 'open' | 'ended' | 'failed' | 'cancelled';
  readonly released: boolean;
  readonly readers: number;
  /** Chunks pushed. */
  readonly pushed: number;
  /** Chunks that were not taken because the stream was cancelled. */
  readonly refused: number;
  /** Chunks in memory, after coalescing. */
  readonly chunks: number;
  readonly bytes: number;
  readonly maxBytes: number;
  readonly peakBytes: number;
  readonly spilledBytes: number;
  readonly spillFailures: number;
  /** Chunks that readers lost. */
  readonly dropped: number;
  /** Chunks that a late reader would miss. */
  readonly forgotten: number;
  readonly disconnected: number;
}

/** Chunks that may wait before neighbours are joined. */
const freshChunks = 512;
/** The readers of every released buffer. */
const noReaders: ReadonlySet<ReplayReader<never>> = new Set();
const over = { value: undefined, done: true } as const;

/**
 * One stream for many readers in bounded memory: each reader has its own position, may come late and may be slow.
 *
 * Chunks are kept once. Neighbouring text deltas are joined, never across the position of a reader; what still exceeds `maxBytes` goes to an
 * unlinked temporary file, and where that is not possible the lag policy of each slow reader decides. Nothing is lost without a count and
 * an event. See docs/reference/keepers/replay-buffer.md.
 */
export class ReplayBuffer<T> implements Keeper, Disposable, AsyncIterable<T> {
  readonly kind = 'replay-buffer';
  readonly name: string;
  /** @internal */
  readonly log: ChunkLog<T>;
  /** @internal */
  waiting = 0;
  readonly #settings: ReplaySettings<T>;
  readonly #store: ChunkStore<T>;
  readonly #board = new ReportBoard<ReplayBufferEvents>();
  // A released buffer lets go of what it does not need any more, because somebody who only asks for its end may hold it for long.
  #entry: KeeperEntry | undefined;
  #alarm: Alarm | undefined;
  #readers: Set<ReplayReader<T>> = new Set();
  #onCancel: Set<(reason: unknown) => void> | undefined;
  #state: ReplayBufferStats['state'] = 'open';
  #error: unknown = undefined;
  #isReleased = false;
  #endedMs = 0;
  #emptyMs = 0;
  #subscribed = 0;
  #peak = 0;
  #refused = 0;
  #brake: Brake | undefined = undefined;

  constructor(options: ReplayBufferOptions<T>) {
    const settings = readReplaySettings(options);
    this.#settings = settings;
    this.name = settings.name;
    this.#store = new ChunkStore(settings, this.#board, this.#label);
    this.log = this.#store.log;
    this.#alarm = new Alarm(settings.clock, () => this.#ring());
    this.#entry = new KeeperEntry(this, options.scope);
  }

  /** Bytes in memory: chunks, and pages of the file that readers are at. */
  get bytes(): number {
    return this.#store.bytes;
  }

  /** True while a reader with the policy "block" keeps the producer waiting. */
  get isBlocked(): boolean {
    return this.#brake !== undefined;
  }

  /** Adds a chunk. False when the producer should await `ready()` before the next one, or when the stream was cancelled. */
  push(chunk: T): boolean {
    if (this.#state !== 'open' || this.isBlocked) return this.#refuse();
    const { log } = this;
    this.#store.push(chunk);
    if (log.bytes > this.#settings.maxBytes) this.#fit();
    else if (log.freshCount >= freshChunks) this.#store.compact(this.#readers);
    if (log.bytes > this.#peak) this.#peak = log.bytes;
    this.#entry?.charge(this.bytes);
    if (this.waiting > 0) this.#serve();
    return !this.isBlocked;
  }

  /** Adds a chunk once there is room for it. */
  async write(chunk: T): Promise<void> {
    while (this.isBlocked) await this.ready();
    this.push(chunk);
  }

  /** Resolves when the producer may go on. */
  ready(): Promise<void> {
    return this.#brake?.released() ?? Promise.resolve();
  }

  /** Ends the stream: readers get what is left, then their end. */
  end(): void {
    this.#finish('ended', undefined);
  }

  /** Ends the stream with an error, which every reader gets once, after the chunks before it. */
  fail(error: unknown): void {
    this.#finish('failed', error);
  }

  /** Gives the stream up: the source is told, what is kept is let go of, and every reader gets one error. */
  cancel(reason: unknown = 'cancelled'): void {
    if (this.#state !== 'open') return;
    const text = reason instanceof Error ? reason.message : String(reason);
    const error = failure('PLM_REPLAY_CANCELLED', { buffer: this.#label, reason: text }, { cause: reason });
    this.#finish('cancelled', error);
    for (const tell of this.#onCancel ?? []) {
      try {
        tell(reason);
      } catch (cause) {
        this.#board.emit('hook-failed', { hook: 'cancel', cause });
      }
    }
    this.#release(error);
  }

  /** Calls back once when the stream is cancelled; returns what takes the call back. */
  cancelled(callback: (reason: unknown) => void): () => void {
    const callbacks = (this.#onCancel ??= new Set());
    callbacks.add(callback);
    return () => {
      callbacks.delete(callback);
    };
  }

  /** A new reader with a position of its own. */
  subscribe(options: SubscribeOptions = {}): ReplayReader<T> {
    const { from = 'start' } = options;
    if (
      typeof from === 'number'
        ? !(Number.isSafeInteger(from) && from >= 0)
        : from !== 'start' && from !== 'now'
    )
      throw badOption(this.#label, 'from', from, '"start", "now" or a sequence number');
    const name = options.name ?? `reader ${++this.#subscribed}`;
    const reader = new ReplayReader<T>(
      this,
      name,
      lagOption(options.lag) ?? this.#settings.lag,
      this.log.end,
    );
    if (this.#isReleased) {
      reader.cut(this.#state === 'cancelled' ? this.#error : this.#releasedError());
      return reader;
    }
    this.#readers.add(reader);
    reader.seenMs = this.#settings.clock.monotonic();
    if (from !== 'now') this.#store.place(reader, from === 'start' ? 0 : from);
    if (options.signal !== undefined) reader.follow(options.signal);
    return reader;
  }

  [Symbol.asyncIterator](): ReplayReader<T> {
    return this.subscribe();
  }

  /** A web stream over a new reader; cancelling it leaves the others alone. */
  toReadableStream(options: SubscribeOptions = {}): ReadableStream<T> {
    return readableOf(this.subscribe(options));
  }

  /** Listens to an event; returns what stops it. */
  on<E extends keyof ReplayBufferEvents>(
    event: E,
    listener: (event: ReplayBufferEvents[E]) => void,
  ): () => void {
    return this.#board.on(event, listener);
  }

  /** Moves chunks to the file, or forgets those that every reader has read; resolves with the bytes freed. */
  async shed(request: ShedRequest): Promise<number> {
    if (!(request.bytes > 0)) throw badOption(this.#label, 'bytes', request.bytes, 'bytes above 0');
    const before = this.log.bytes;
    this.#store.compact(this.#readers);
    const wanted = request.bytes - (before - this.log.bytes);
    if (wanted > 0) {
      const count = this.log.countOver(this.log.bytes - wanted);
      if (!this.#store.spill(count))
        this.#store.drop(Math.min(count, this.#store.firstOf(this.#readers)), this.#readers);
    }
    this.#entry?.settle(this.bytes);
    return before - this.log.bytes;
  }

  figures(): KeeperFigures {
    return {
      entries: this.log.items.length,
      boundBytes: this.#settings.maxBytes,
      parked: this.#store.pages?.chunks ?? 0,
      leases: this.#readers.size,
    };
  }

  stats(): ReplayBufferStats {
    return {
      state: this.#state,
      released: this.#isReleased,
      readers: this.#readers.size,
      pushed: this.log.seq,
      refused: this.#refused,
      chunks: this.log.items.length,
      bytes: this.bytes,
      maxBytes: this.#settings.maxBytes,
      peakBytes: this.#peak,
      spilledBytes: this.#store.pages?.fileBytes ?? 0,
      spillFailures: this.#board.count('spill-failed'),
      dropped: this.#store.dropped,
      forgotten: this.#store.forgotten,
      disconnected: this.#board.count('disconnected'),
    };
  }

  /** Lets go of everything at once; an open stream is cancelled. */
  [Symbol.dispose](): void {
    if (this.#state === 'open') this.cancel('disposed');
    else this.#release(this.#releasedError());
  }

  /** @internal */
  seek(reader: ReplayReader<T>): IteratorResult<T, undefined> | undefined {
    if (reader.fault !== undefined) throw reader.fault;
    const { log } = this;
    for (;;) {
      const { page } = reader;
      if (page !== undefined) {
        if (reader.at < page.first + page.count)
          return { value: page.items?.[reader.at++ - page.first] as T, done: false };
        this.#store.leavePage(reader);
      }
      const position = reader.at - log.base;
      if (position >= log.items.length) break;
      if (position >= 0) {
        const value = log.items[position] as T;
        reader.at++;
        if (this.isBlocked) this.moved();
        return { value, done: false };
      }
      this.#store.turnPage(reader);
      this.#entry?.charge(this.bytes);
    }
    if (this.#state === 'open') return undefined;
    if (this.#state === 'ended') return over;
    throw this.#error;
  }

  /** @internal */
  moved(): void {
    if (
      this.#brake !== undefined &&
      this.#store.firstOf(this.#blockers()) + this.log.base >= this.#brake.until
    )
      this.#fitByLag();
  }

  /** @internal */
  left(reader: ReplayReader<T>): void {
    this.#store.leavePage(reader);
    if (!this.#readers.delete(reader)) return;
    this.moved();
    if (this.#readers.size > 0 || this.#state === 'open') return;
    this.#emptyMs = this.#settings.clock.monotonic();
    this.#alarm?.at(this.#emptyMs + this.#settings.releaseAfterEnd);
  }

  /** @internal */
  seqOf(reader: ReplayReader<T>): number {
    return this.#store.seqOf(reader);
  }

  get #label(): string {
    return `replay buffer "${this.name}"`;
  }

  #refuse(): false {
    if (this.#state === 'cancelled') {
      this.#refused++;
      return false;
    }
    if (this.#state !== 'open')
      throw failure('PLM_REPLAY_ENDED', { buffer: this.#label, state: this.#state });
    const readers = [...this.#blockers()].map((reader) => reader.name);
    const { bytes } = this.log;
    throw failure('PLM_REPLAY_BLOCKED', {
      buffer: this.#label,
      bytes,
      maxBytes: this.#settings.maxBytes,
      readers,
    });
  }

  #serve(): void {
    for (const reader of this.#readers) if (reader.isWaiting) reader.serve();
  }

  /** Brings the log under its bound. */
  #fit(): void {
    const { maxBytes } = this.#settings;
    this.#store.compact(this.#readers);
    if (this.log.bytes <= 0.75 * maxBytes) return;
    if (!this.#store.spill(this.log.countOver(maxBytes / 2))) this.#fitByLag();
  }

  /** Makes room at the cost of slow readers, as their policies say. */
  #fitByLag(): void {
    const { log } = this;
    const { maxBytes, clock, blockFor } = this.#settings;
    const count = log.countOver(maxBytes / 2);
    this.#store.drop(Math.min(count, this.#store.firstOf(this.#blockers())), this.#readers);
    if (log.bytes <= maxBytes || log.items.length <= 1) {
      this.#unblock();
      return;
    }
    const until = log.base + log.countOver(maxBytes / 2);
    if (this.#brake !== undefined) {
      this.#brake.until = until;
      return;
    }
    this.#brake = new Brake(clock.monotonic(), until);
    this.#alarm?.at(this.#brake.sinceMs + blockFor);
    this.#board.emit('blocked', {
      readers: [...this.#blockers()].map((reader) => reader.name),
      bytes: log.bytes,
    });
  }

  #unblock(): void {
    const brake = this.#brake;
    this.#brake = undefined;
    brake?.release();
  }

  #blockers(): Iterable<ReplayReader<T>> {
    return blockersOf(this.#readers);
  }

  #finish(state: 'ended' | 'failed' | 'cancelled', error: unknown): void {
    if (this.#state !== 'open') return;
    this.#state = state;
    this.#error = error;
    this.#endedMs = this.#settings.clock.monotonic();
    this.#emptyMs = this.#endedMs;
    this.#unblock();
    this.#store.compact(this.#readers);
    this.#entry?.settle(this.bytes);
    this.#board.emit('end', { chunks: this.log.seq, outcome: state });
    if (state === 'cancelled') return;
    for (const reader of this.#readers) reader.seenMs = this.#endedMs;
    this.#serve();
    this.#ring();
  }

  #releasedError(): Error {
    return failure('PLM_REPLAY_RELEASED', {
      buffer: this.#label,
      chunks: this.log.seq,
      afterMs: this.#settings.clock.monotonic() - this.#endedMs,
    });
  }

  #release(error: unknown): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#alarm?.stop();
    this.#alarm = undefined;
    this.#onCancel = undefined;
    for (const reader of this.#readers) {
      reader.cut(error);
      reader.page = undefined;
    }
    this.#readers = noReaders as unknown as Set<ReplayReader<T>>;
    this.#store.clear();
    this.#entry?.close();
    this.#entry = undefined;
    this.#board.emit('release', { chunks: this.log.seq });
  }

  #ring(): void {
    const now = this.#settings.clock.monotonic();
    const { blockFor, abandonAfter, releaseAfterEnd } = this.#settings;
    const brake = this.#brake;
    if (brake !== undefined) {
      if (now < brake.sinceMs + blockFor) this.#alarm?.at(brake.sinceMs + blockFor);
      else this.#cutBlockers(brake.until);
    }
    if (this.#state === 'open' || this.#isReleased) return;
    for (const reader of this.#readers) {
      if (reader.at !== reader.seenAt) {
        reader.seenAt = reader.at;
        reader.seenMs = now;
      } else if (now - reader.seenMs >= abandonAfter) {
        this.#store.cut(reader, 'it stopped reading after the stream was over');
      }
    }
    if (this.#readers.size > 0) this.#alarm?.at(now + abandonAfter / 4);
    else if (now >= this.#emptyMs + releaseAfterEnd) this.#release(this.#releasedError());
    else this.#alarm?.at(this.#emptyMs + releaseAfterEnd);
  }

  /** Cuts off the readers that keep the producer waiting. */
  #cutBlockers(until: number): void {
    const late = [...this.#blockers()].filter((reader) => reader.at < until);
    for (const reader of late) this.#store.cut(reader, 'it kept the producer waiting for too long');
    this.#fitByLag();
  }
}

/** A web stream over a reader; cancelling it leaves the other readers alone. */
function readableOf<T>(reader: ReplayReader<T>): ReadableStream<T> {
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const { value, done } = await reader.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await reader.return();
      },
    },
    { highWaterMark: 0 },
  );
}
