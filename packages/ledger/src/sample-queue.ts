import type { LedgerSettings } from './options.ts';
import { SampleBatch, storable } from './sample-batch.ts';
import type { PackedBatch } from './sample-batch.ts';
import type { Sample } from './sample.ts';
import type { WorkerRequest } from './worker/protocol.ts';

const longestRetryMs = 30_000;
/** Longest delay of samples above level normal, because the process may end soon and they show why. */
const urgentMs = 1000;

/** Counters of samples since the ledger was opened; taken = written + queued + dropped, exactly. */
export interface SampleCounts {
  readonly taken: number;
  readonly written: number;
  readonly queued: number;
  /** Not stored because the queue was full, or the ledger was closed before they could be written. */
  readonly dropped: number;
  /** Not stored because a time, a path or a number was missing. */
  readonly malformed: number;
}

/** Samples on their way to the writer: one bounded batch that is being filled, and at most one that waits for its confirmation. */
export class SampleQueue {
  readonly #settings: LedgerSettings;
  readonly #post: (request: WorkerRequest) => boolean;
  readonly #confirmed: () => void;
  #filling: SampleBatch;
  #sent: { batch: PackedBatch; rows: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #retries = 0;
  #number = 0;
  #taken = 0;
  #written = 0;
  #dropped = 0;
  #malformed = 0;
  #due = false;
  /** When the timer fires. */
  #dueAt = 0;

  /** `post` returns false when there is no writer to post to; `confirmed` is called after each stored batch. */
  constructor(settings: LedgerSettings, post: (request: WorkerRequest) => boolean, confirmed: () => void) {
    this.#settings = settings;
    this.#post = post;
    this.#confirmed = confirmed;
    this.#filling = new SampleBatch(settings.queueRows);
  }

  add(sample: Sample): boolean {
    if (!storable(sample)) {
      this.#malformed++;
      return false;
    }
    this.#taken++;
    const waiting = this.#sent?.rows ?? 0;
    if (waiting + this.#filling.rows >= this.#settings.queueRows || !this.#filling.add(sample)) {
      this.#dropped++;
      return false;
    }
    const { batchMs } = this.#settings;
    this.#arm(isUrgent(sample) ? Math.min(urgentMs, batchMs) : batchMs);
    return true;
  }

  /** Number of the batch with the newest sample. `stored(number)` resolves when it is on disk. */
  get target(): number {
    return this.#filling.rows > 0 ? this.#number + 1 : this.#number;
  }

  stored(number: number): boolean {
    return this.#sent === undefined ? this.#number >= number : this.#sent.batch.number > number;
  }

  /** True while a batch waits for its confirmation. */
  get isSent(): boolean {
    return this.#sent !== undefined;
  }

  /** Sends waiting samples now instead of at the next tick. */
  send(): void {
    if (this.#sent !== undefined) {
      this.#due = this.#filling.rows > 0;
      return;
    }
    if (this.#filling.rows === 0) return;
    this.#sent = { batch: this.#filling.pack(++this.#number), rows: this.#filling.rows };
    this.#filling = new SampleBatch(this.#settings.queueRows);
    this.#resend();
  }

  /** The writer has stored a batch. */
  confirm(number: number): void {
    if (this.#sent?.batch.number !== number) return;
    this.#written += this.#sent.rows;
    this.#sent = undefined;
    this.#retries = 0;
    if (this.#due) {
      this.#due = false;
      this.send();
    }
    this.#confirmed();
  }

  /** The writer could not store the batch. It is kept and sent again after a growing pause. */
  refused(): void {
    this.#arm(Math.min(longestRetryMs, this.#settings.batchMs * 2 ** this.#retries++));
  }

  /**
   * Called when a new writer is ready. Batches that the old one did not confirm are sent again. The file recognises a batch by its number.
   */
  resume(): void {
    this.#resend();
  }

  counts(): SampleCounts {
    return {
      taken: this.#taken,
      written: this.#written,
      queued: this.#filling.rows + (this.#sent?.rows ?? 0),
      dropped: this.#dropped,
      malformed: this.#malformed,
    };
  }

  /** Ends the queue. Waiting samples count as dropped. */
  close(): void {
    clearTimeout(this.#timer);
    this.#dropped += this.#filling.rows + (this.#sent?.rows ?? 0);
    this.#filling = new SampleBatch(this.#settings.queueRows);
    this.#sent = undefined;
  }

  #resend(): void {
    if (this.#sent !== undefined) this.#post({ type: 'samples', batch: this.#sent.batch });
  }

  #arm(ms: number): void {
    const dueAt = performance.now() + ms;
    if (this.#timer !== undefined) {
      if (dueAt >= this.#dueAt) return;
      clearTimeout(this.#timer);
    }
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#sent === undefined) this.send();
      else if (this.#retries > 0) this.#resend();
      else this.#due = true;
    }, ms);
    this.#timer.unref();
  }
}

function isUrgent(sample: Sample): boolean {
  return 'level' in sample && sample.level !== undefined && sample.level !== 'normal';
}
