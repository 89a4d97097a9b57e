import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { AlertRouter } from '@plimsoll/govern/internal/alert/alert-router';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { Resume } from '@plimsoll/govern/internal/restart/restart-log';
import type { Part } from '../part.ts';
import type { HostAlerts, HostAlertsParts } from './alerts.ts';

/** Most notices that wait for the alerts to load. Later ones are dropped, because so many notices are about one event. */
const mostWaiting = 256;

const news = ['level', 'action', 'finding', 'approval', 'rollback', 'trouble'] as const;
type News = (router: AlertRouter) => void;

/**
 * Loads the alerts with the first notice, or at once when the policy declares alerts. Most processes whose policy declares none never load
 * them.
 */
export class LateAlerts implements Part {
  readonly #parts: HostAlertsParts;
  readonly #subscriptions: (readonly [string, (message: unknown) => void])[];
  readonly #waiting: News[] = [];
  #policy: Policy;
  #alerts: HostAlerts | undefined;
  #loading: Promise<HostAlerts> | undefined;
  #staleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: HostAlertsParts) {
    this.#parts = parts;
    this.#policy = parts.policy;
    this.#subscriptions = news.map((name) => [
      `plimsoll:${name}`,
      (message) => this.#tell((router) => router[name](message as never)),
    ]);
  }

  start(): void {
    for (const [name, listener] of this.#subscriptions) subscribe(name, listener);
    // The governor cannot report that readings have stopped, because only readings call it.
    const look = (): void => void (this.#parts.governor.stale && this.#begin());
    this.#staleTimer = setInterval(look, this.#policy.signal.staleMs).unref();
    if (this.#policy.alerts.declared) this.#begin();
  }

  /** Tells that the previous life ended because of memory, perhaps too fast to alert anybody. */
  resumed(resume: Resume | undefined): void {
    if (resume === undefined) return;
    void this.load().then(
      (alerts) => alerts.resumed(resume),
      () => undefined,
    );
  }

  swap(policy: Policy): void {
    this.#policy = policy;
    this.#alerts?.setPolicy(policy);
    if (policy.alerts.declared) this.#begin();
  }

  /** The alerts, loaded now if they are not yet. A load that failed once is not tried again, so that nothing grows while it fails. */
  load(): Promise<HostAlerts> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#stopWaiting();
      // The files of a program that was replaced while it runs may be gone.
      const text = `Plimsoll could not load its alerts: ${String(error)}`;
      process.emitWarning(text, { type: 'PlimsollWarning' });
      throw error;
    });
    return this.#loading;
  }

  stop(): void {
    this.#isClosed = true;
    this.#stopWaiting();
    this.#alerts?.close();
  }

  #tell(piece: News): void {
    if (this.#waiting.length < mostWaiting) this.#waiting.push(piece);
    this.#begin();
  }

  #begin(): void {
    void this.load().catch(() => undefined);
  }

  async #load(): Promise<HostAlerts> {
    const { HostAlerts } = await import('./alerts.ts');
    const alerts = new HostAlerts({ ...this.#parts, policy: this.#policy });
    this.#stopWaiting();
    if (this.#isClosed) return alerts;
    this.#alerts = alerts;
    alerts.start();
    for (const tell of this.#waiting.splice(0)) tell(alerts.router);
    return alerts;
  }

  #stopWaiting(): void {
    clearInterval(this.#staleTimer);
    for (const [name, listener] of this.#subscriptions) unsubscribe(name, listener);
  }
}
