import { Alarm } from '@plimsoll/core/internal/alarm';
import type { AlertClock, Alert } from './alert.ts';
import type { MirrorSink } from './sinks/sink.ts';
import { DeliveryError, reasonOf } from './sinks/sink.ts';
import type { DeliveryCounts } from './sinks/delivery-queue.ts';

interface MirrorOptions {
  readonly clock: AlertClock;
  readonly timeoutMs: number;
  /** The state to send: what fires, and what ended in the last five minutes. */
  readonly alerts: () => readonly Alert[];
  readonly onFailed: (reason: string) => void;
}

/** Changes are gathered for so long before they are sent. */
const gatherMs = 500;

/**
 * Keeps a recipient that groups by itself up to date: at each change, and again in its rhythm while anything is to be told. There is no
 * queue. Every attempt sends the whole state, so the next one makes up for one that failed.
 */
export class MirrorLoop {
  readonly #sink: MirrorSink;
  readonly #options: MirrorOptions;
  readonly #alarm: Alarm;
  #abort: AbortController | undefined;
  #sent = 0;
  #lost = 0;
  #closed = false;
  #gone = false;

  constructor(sink: MirrorSink, options: MirrorOptions) {
    this.#sink = sink;
    this.#options = options;
    this.#alarm = new Alarm(options.clock, () => void this.#send());
  }

  get name(): string {
    return this.#sink.name;
  }

  get counts(): DeliveryCounts {
    const waiting = this.#abort === undefined ? 0 : 1;
    return { sent: this.#sent, lost: this.#lost, retried: 0, waiting, gone: this.#gone };
  }

  /** Something began or ended. */
  changed(): void {
    this.#alarm.within(gatherMs);
  }

  close(): void {
    this.#closed = true;
    this.#alarm.stop();
    this.#abort?.abort(new DeliveryError('alerts have ended', { final: true }));
    this.#sink.close?.();
  }

  async #send(): Promise<void> {
    // One at a time; the state of the one after is newer anyway.
    if (this.#abort !== undefined) return this.#alarm.within(gatherMs);
    const alerts = this.#options.alerts();
    if (alerts.length === 0) return;
    const abort = (this.#abort = new AbortController());
    const { clock, timeoutMs } = this.#options;
    const cancel = clock.after(timeoutMs, () =>
      abort.abort(new DeliveryError(`no answer within ${timeoutMs} ms`)),
    );
    try {
      await this.#sink.mirror(alerts, abort.signal);
      this.#sent++;
    } catch (error) {
      this.#lost++;
      this.#gone = error instanceof DeliveryError && error.gone;
      if (!this.#closed) this.#options.onFailed(reasonOf(error));
    } finally {
      cancel();
      this.#abort = undefined;
      if (this.#gone) this.#alarm.stop();
      else this.#alarm.within(this.#sink.resendMs);
    }
  }
}
