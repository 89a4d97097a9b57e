import { failure } from '@plimsoll/core/internal/errors';
import type { ReportBoard } from '../report-board.ts';
import { ChunkLog } from './chunk-log.ts';
import type { ReplayBufferEvents } from './events.ts';
import { GuardedJoiner } from './guarded-joiner.ts';
import type { ReplayReader } from './reader.ts';
import type { ReplaySettings } from './settings.ts';
import { SpilledPages } from './spilled-pages.ts';
import { Meter, stringBytes } from '@plimsoll/core/meter';
import { textField } from './coalesce.ts';

/** What a chunk takes beside itself: its places in the lists of the log. */
const slotBytes = 32;
/** Only asked for the bytes of single values, so that every buffer can share it. */
const meter = new Meter();

/** The user's function for the bytes of a chunk; where it fails, the chunk is measured. */
function guardedSize<T>(
  size: (chunk: T) => number,
  board: ReportBoard<ReplayBufferEvents>,
): (chunk: T) => number {
  return (chunk) => {
    try {
      const bytes = size(chunk);
      if (bytes >= 0 && bytes <= Number.MAX_SAFE_INTEGER) return bytes + slotBytes;
      throw new RangeError(`size gave ${String(bytes)}`);
    } catch (cause) {
      board.emit('hook-failed', { hook: 'size', cause });
      return measured(chunk);
    }
  };
}

/** Bytes of a chunk and its place in the log. */
function measured(chunk: unknown): number {
  if (typeof chunk === 'string') return stringBytes(chunk) + slotBytes;
  const bytes = meter.append(chunk) + slotBytes;
  // The meter takes short words for shared ones; those of a delta are pieces of text.
  const field = textField(chunk);
  if (field === undefined) return bytes;
  const text = (chunk as Record<string, unknown>)[field];
  return typeof text === 'string' && text.length <= 10 ? bytes + stringBytes(text) : bytes;
}

/** Pause before a failed spill is tried again. */
const spillRetryMs = 10_000;

/** The chunks of a stream: the newest in memory, older ones in a file, and what became of the rest. */
export class ChunkStore<T> {
  readonly log = new ChunkLog<T>();
  pages: SpilledPages<T> | undefined;
  /** Chunks that readers lost. */
  dropped = 0;
  /** Chunks that a late reader would miss. */
  forgotten = 0;
  readonly #settings: ReplaySettings<T>;
  readonly #board: ReportBoard<ReplayBufferEvents>;
  readonly #joiner: GuardedJoiner<T>;
  readonly #sizeOf: (chunk: T) => number;
  readonly #label: string;
  #spillAgainMs = Number.NEGATIVE_INFINITY;

  constructor(settings: ReplaySettings<T>, board: ReportBoard<ReplayBufferEvents>, label: string) {
    this.#settings = settings;
    this.#board = board;
    this.#label = label;
    this.#joiner = new GuardedJoiner(settings.coalescer, board);
    this.#sizeOf = settings.size === undefined ? measured : guardedSize(settings.size, board);
  }

  /** Bytes in memory: chunks, and pages of the file that readers are at. */
  get bytes(): number {
    return this.log.bytes + (this.pages?.residentBytes ?? 0);
  }

  push(chunk: T): void {
    this.log.push(chunk, this.#sizeOf(chunk));
  }

  /** Joins neighbours among the newest chunks. */
  compact(readers: Iterable<ReplayReader<T>>): void {
    // Without a coalescer this only marks the chunks as looked at.
    const cursors = this.#joiner.isOn ? readers : [];
    const most = Math.max(1024, Math.min(16 * 1024, this.#settings.maxBytes / 16));
    this.log.compact(this.#joiner, cursors, this.#sizeOf, most);
  }

  /** Moves the oldest chunks to the file; false when that is not possible, or not now. */
  spill(count: number): boolean {
    const { log } = this;
    const { target, codec, maxBytes, maxSpillBytes, clock } = this.#settings;
    if (target === undefined) return false;
    const now = clock.monotonic();
    if (now < this.#spillAgainMs) return false;
    const pages = (this.pages ??= new SpilledPages(target, codec, maxBytes, maxSpillBytes));
    const { base, bytes } = log;
    try {
      pages.take(log, count);
      return true;
    } catch (cause) {
      this.#spillAgainMs = now + spillRetryMs;
      const why = cause instanceof Error ? cause.message : String(cause);
      const chunks = count - (log.base - base);
      const error = failure('PLM_REPLAY_SPILL_FAILED', { keeper: this.#label, chunks, why }, { cause });
      this.#board.emit('spill-failed', { error });
      return false;
    } finally {
      if (log.base > base)
        this.#board.emit('spill', {
          chunks: log.base - base,
          bytes: bytes - log.bytes,
          fileBytes: pages.fileBytes,
        });
    }
  }

  /** Forgets the oldest chunks; readers that have not read them lose them or are cut off. */
  drop(count: number, readers: Iterable<ReplayReader<T>>): void {
    if (count <= 0) return;
    const { log } = this;
    const to = log.base + count;
    const toSeq = log.seqAt(to);
    const bytes = log.bytesOf(count);
    const chunks = toSeq - log.baseSeq;
    const late: [ReplayReader<T>, number][] = [];
    for (const reader of readers) {
      if (reader.at < log.base || reader.at >= to) continue;
      const behind = toSeq - log.seqAt(reader.at);
      this.lose(reader, behind);
      this.leavePage(reader);
      reader.at = to;
      if (reader.lag === 'disconnect') late.push([reader, behind]);
    }
    log.drop(count);
    // Cutting a reader off may let the producer go on, which changes the log.
    for (const [reader, behind] of late)
      this.cut(reader, `it was ${behind} chunks or more behind and memory was full`);
    this.forgotten += chunks;
    this.#board.emit('forgotten', { chunks, bytes });
  }

  lose(reader: ReplayReader<T>, chunks: number): void {
    if (chunks <= 0) return;
    reader.lost += chunks;
    this.dropped += chunks;
    this.#board.emit('dropped', { reader: reader.name, chunks });
  }

  cut(reader: ReplayReader<T>, why: string): void {
    const error = failure('PLM_REPLAY_LAGGED', { buffer: this.#label, reader: reader.name, why });
    this.#board.emit('disconnected', { reader: reader.name, error });
    reader.cut(error);
    reader.forsake();
  }

  /** Sets a reader to a sequence number, or to the first chunk after it that is still there. */
  place(reader: ReplayReader<T>, seq: number): void {
    const { log } = this;
    const page = seq < log.baseSeq ? this.pages?.atSeq(seq) : undefined;
    const first = page === undefined ? log.baseSeq : page.startSeq;
    if (seq < first) this.lose(reader, first - seq);
    if (page === undefined) {
      reader.at = log.indexOf(Math.max(seq, log.baseSeq));
      return;
    }
    reader.at = page.first;
    if (seq <= page.startSeq) return;
    this.turnPage(reader);
    while (reader.at < page.first + page.count - 1 && (page.ends?.[reader.at - page.first] as number) <= seq)
      reader.at++;
  }

  /** Brings the page that a reader is at into memory, or takes the reader over the gap before it. */
  turnPage(reader: ReplayReader<T>): void {
    const pages = this.pages as SpilledPages<T>;
    const page = pages.at(reader.at);
    if (page !== undefined && page.first <= reader.at) {
      try {
        pages.enter(page);
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw failure('PLM_REPLAY_UNREADABLE', { keeper: this.#label, why }, { cause });
      }
      reader.page = page;
      return;
    }
    const endSeq = pages.at(reader.at - 1)?.endSeq ?? 0;
    const chunks = (page?.startSeq ?? this.log.baseSeq) - endSeq;
    reader.at = page?.first ?? this.log.base;
    this.lose(reader, chunks);
    if (reader.lag !== 'disconnect') return;
    this.cut(reader, `${chunks} chunks it had not read are gone because memory and file were full`);
    throw reader.fault as Error;
  }

  /** How many of the chunks in memory all of some readers have read. */
  firstOf(readers: Iterable<ReplayReader<T>>): number {
    let first = Number.POSITIVE_INFINITY;
    for (const reader of readers) first = Math.min(first, Math.max(0, reader.at - this.log.base));
    return first;
  }

  /** Sequence number of the next chunk of a reader. */
  seqOf(reader: ReplayReader<T>): number {
    const { at } = reader;
    const page = reader.page ?? (at < this.log.base ? this.pages?.at(at) : undefined);
    return page === undefined ? this.log.seqAt(at) : (this.pages as SpilledPages<T>).seqAt(page, at);
  }

  /** Lets a reader go from the page it is at. */
  leavePage(reader: ReplayReader<T>): void {
    const { page } = reader;
    reader.page = undefined;
    if (page !== undefined) this.pages?.leave(page);
  }

  clear(): void {
    this.log.clear();
    this.pages?.close();
    this.pages = undefined;
  }
}
