import { warnOnce } from '@plimsoll/core/internal/errors';
import type { AlertClock, Notice } from '../alert.ts';
import type { AlertSink } from './sink.ts';
import { DeliveryError, reasonOf } from './sink.ts';

interface DeliveryOptions {
  readonly clock: AlertClock;
  readonly timeoutMs: number;
  /** Most attempts per notice. */
  readonly attempts: number;
  /** Most notices that wait, default 64. The oldest is dropped when another comes. */
  readonly most?: number;
  /** 0 to 1; `Math.random` by default. */
  readonly random?: () => number;
  /** Called once for every notice. */
  readonly onSettled: (notice: Notice, outcome: DeliveryOutcome) => void;
}

export interface DeliveryOutcome {
  readonly arrived: boolean;
  readonly attempts: number;
  /** Why it did not arrive. */
  readonly reason?: string;
}

/** Counts of the notices of one recipient. */
export interface DeliveryCounts {
  readonly sent: number;
  readonly lost: number;
  readonly retried: number;
  readonly waiting: number;
  readonly gone: boolean;
}

const firstPauseMs = 1000;
const longestPauseMs = 60_000;

/**
 * Delivers notices to one recipient, in order, one at a time. It is bounded, has a time limit and growing pauses, and counts every loss.
 */
export class DeliveryQueue {
  readonly #sink: AlertSink;
  readonly #options: DeliveryOptions;
  readonly #most: number;
  readonly #random: () => number;
  readonly #waiting: Notice[] = [];
  readonly #idle = new Set<() => void>();
  #isBusy = false;
  #abort: AbortController | undefined;
  #cancelPause: (() => void) | undefined;
  #sent = 0;
  #lost = 0;
  #retried = 0;
  #gone = false;
  #closed = false;

  constructor(sink: AlertSink, options: DeliveryOptions) {
    this.#sink = sink;
    this.#options = options;
    this.#most = Math.max(1, options.most ?? 64);
    this.#random = options.random ?? Math.random;
  }

  get counts(): DeliveryCounts {
    const waiting = this.#waiting.length + Number(this.#isBusy);
    return { sent: this.#sent, lost: this.#lost, retried: this.#retried, waiting, gone: this.#gone };
  }

  push(notice: Notice): void {
    if (this.#closed)
      return this.#settle(notice, { arrived: false, attempts: 0, reason: 'alerts have ended' });
    if (this.#gone)
      return this.#settle(notice, { arrived: false, attempts: 0, reason: 'it answered 410 Gone before' });
    if (this.#waiting.length >= this.#most) {
      const oldest = this.#waiting.shift() as Notice;
      this.#settle(oldest, { arrived: false, attempts: 0, reason: 'too many notices wait' });
    }
    this.#waiting.push(notice);
    if (!this.#isBusy) void this.#run();
    return undefined;
  }

  /** Resolves when no notice waits any more, or after `ms`. */
  drained(ms: number): Promise<void> {
    if (!this.#isBusy) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        this.#idle.delete(done);
        resolve();
      };
      const cancel = this.#options.clock.after(ms, done);
      this.#idle.add(done);
    });
  }

  /** Ends at once. Waiting notices are counted as lost. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelPause?.();
    this.#abort?.abort(new DeliveryError('alerts have ended', { final: true }));
    for (const notice of this.#waiting.splice(0))
      this.#settle(notice, { arrived: false, attempts: 0, reason: 'alerts have ended' });
    this.#sink.close?.();
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    for (let notice = this.#waiting.shift(); notice !== undefined; notice = this.#waiting.shift())
      this.#settle(notice, await this.#bring(notice));
    this.#isBusy = false;
    for (const done of this.#idle) done();
  }

  async #bring(notice: Notice): Promise<DeliveryOutcome> {
    const { attempts } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#try(notice);
        return { arrived: true, attempts: attempt };
      } catch (error) {
        const delivery = error instanceof DeliveryError ? error : new DeliveryError(reasonOf(error));
        if (delivery.gone) this.#giveUp();
        if (delivery.final || attempt >= attempts || this.#closed)
          return { arrived: false, attempts: attempt, reason: reasonOf(delivery) };
        this.#retried++;
        await this.#pause(attempt, delivery.retryAfterMs);
        if (this.#closed) return { arrived: false, attempts: attempt, reason: reasonOf(delivery) };
      }
    }
  }

  /** One attempt; ends after the time limit also when the sink does not listen to its signal. */
  async #try(notice: Notice): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    const { clock, timeoutMs } = this.#options;
    const cancel = clock.after(timeoutMs, () =>
      abort.abort(new DeliveryError(`no answer within ${timeoutMs} ms`)),
    );
    try {
      await Promise.race([
        this.#sink.deliver(notice, abort.signal),
        new Promise<never>((_, reject) => {
          abort.signal.addEventListener('abort', () => reject(abort.signal.reason as Error), { once: true });
        }),
      ]);
    } finally {
      cancel();
      this.#abort = undefined;
    }
  }

  /** The pause doubles each time. Half of it is random, so that a fleet does not retry at the same moment. */
  #pause(attempt: number, atLeastMs: number): Promise<void> {
    const fullMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1));
    const ms = Math.max(fullMs * (0.5 + 0.5 * this.#random()), Math.min(atLeastMs, longestPauseMs));
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, resolve);
      this.#cancelPause = () => {
        cancel();
        resolve();
      };
    });
  }

  #giveUp(): void {
    this.#gone = true;
    warnOnce('PLM_ALERT_GONE', { recipient: this.#sink.name });
    for (const notice of this.#waiting.splice(0))
      this.#settle(notice, { arrived: false, attempts: 0, reason: 'it answered 410 Gone' });
  }

  #settle(notice: Notice, outcome: DeliveryOutcome): void {
    if (outcome.arrived) this.#sent++;
    else this.#lost++;
    this.#options.onSettled(notice, outcome);
  }
}
