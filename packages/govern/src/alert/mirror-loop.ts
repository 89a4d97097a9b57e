import { Alarm } from '@plimsoll/core/internal/alarm';
import type { AlertClock, Alert } from './alert.ts';
import type { MirrorSink } from './sinks/sink.ts';
import { DeliveryError, reasonOf } from './sinks/sink.ts';
import type { DeliveryCounts } from './sinks/delivery-queue.ts';

interface MirrorOptions {
  readonly clock: AlertClock;
  readonly timeoutMs: number;
  /** The state to send: alerts that fire, and those that ended in the last five minutes. */
  readonly alerts: () => readonly Alert[];
  readonly onFailed: (reason: string) => void;
}

/** Changes are collected for this long before they are sent. */
const gatherMs = 500;

/**
 * Sends the state to a recipient that groups alerts itself: at each change, and repeatedly while an alert fires or ended recently. There is
 * no queue. Every attempt sends the whole state, so a failed one needs no retry of its own.
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

  /** Called when an alert began or ended. */
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
    // Only one request at a time. The next one sends a newer state.
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
