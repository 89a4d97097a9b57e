import { hostname } from 'node:os';
import { management, onDrain } from '@plimsoll/core';
import { AlertRouter } from '@plimsoll/govern/internal/alert/alert-router';
import type { AlertClock } from '@plimsoll/govern/internal/alert/alert';
import type { AlertEvent } from '@plimsoll/govern/internal/alert/alert-router';
import type { AlertRules } from '@plimsoll/govern/internal/policy/sections/alert-rules';
import { isPlimsollError } from '@plimsoll/core';
import type { ApprovalDesk } from '@plimsoll/govern/internal/approvals/approval-desk';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { Resume } from '@plimsoll/govern/internal/restart/restart-log';
import { approverFile, findApprover } from '../../protocol/approver-file.ts';
import { version } from '@plimsoll/core/internal/version';
import { alertEntry } from './alert-entry.ts';
import { recipientsOf } from './alert-recipients.ts';
import type { History } from '../history/history.ts';
import { readSilences, writeSilences } from './silence-file.ts';

export interface HostAlertsParts {
  readonly policy: Policy;
  /** Folder of the run, where silences are kept. */
  readonly dir: string;
  /** The program in words. */
  readonly target: string;
  readonly history: Pick<History, 'note'>;
  readonly governor: { readonly stale: boolean; readonly policy: Policy };
  /** The desk, for the A2A server. */
  readonly desk: () => Promise<Pick<ApprovalDesk, 'rows' | 'row' | 'decide'>>;
  /** Resolves when everything so far is in the ledger. A decision over A2A is answered after that. */
  readonly recorded?: () => Promise<unknown>;
  /** Whether this process may alert about a finding. Another process of the fleet may have done so already. */
  readonly mayTell?: (fingerprint: string) => Promise<boolean>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: AlertClock;
}

const staleLookMs = 1000;
const drainMs = 3000;

/**
 * The alerts of a governed process. It reads the channels, sends by the routes of the policy, and writes every outcome into the ledger. The
 * A2A modules are loaded when the policy names them.
 */
export class HostAlerts implements Disposable {
  readonly router: AlertRouter;
  readonly #parts: HostAlertsParts;
  #rules: AlertRules;
  #a2a: { readonly key: string; readonly server: Promise<{ close(): void } | undefined> } | undefined;
  #staleTimer: NodeJS.Timeout | undefined;
  #staleSince: number | undefined;
  #removeDrain: (() => void) | undefined;

  constructor(parts: HostAlertsParts) {
    this.#parts = parts;
    this.#rules = parts.policy.alerts;
    this.router = new AlertRouter({
      rules: this.#rules,
      recipients: recipientsOf(this.#rules, parts.env),
      service: this.#rules.service ?? parts.target,
      pod: hostname(),
      ...(parts.clock === undefined ? {} : { clock: parts.clock }),
      ...(parts.mayTell === undefined ? {} : { mayTell: parts.mayTell }),
      onEvent: (event) => this.#record(event),
    });
  }

  start(): void {
    for (const silence of readSilences(this.#parts.dir)) this.router.restore(silence);
    this.router.start();
    this.#serveA2a();
    this.#staleTimer = setInterval(() => this.#lookForReadings(), staleLookMs).unref();
    this.#removeDrain = onDrain(() => this.router.flush(drainMs));
  }

  /** Tells that the previous life ended because of memory, perhaps too fast to alert anybody. */
  resumed(resume: Resume | undefined): void {
    if (resume === undefined) return;
    const level = resume.lost > 0 ? 'critical' : 'warning';
    this.router.raise({ name: 'memory.restart', level, subject: 'resume', summary: resume.text });
  }

  /** Takes the rules of another policy; the recipients are made anew only when their rules changed. */
  setPolicy({ alerts }: Policy): void {
    if (JSON.stringify(alerts) === JSON.stringify(this.#rules)) return;
    this.#rules = alerts;
    this.router.setRules(alerts, recipientsOf(alerts, this.#parts.env));
    this.#serveA2a();
  }

  close(): void {
    clearInterval(this.#staleTimer);
    this.#removeDrain?.();
    this.router.close();
    this.#closeA2a();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** The governor cannot report that readings have stopped, because only readings call it. */
  #lookForReadings(): void {
    const { governor } = this.#parts;
    if (governor.stale) {
      const nowMs = performance.now();
      this.#staleSince ??= nowMs - governor.policy.signal.staleMs;
      this.router.stale(nowMs - this.#staleSince);
    } else if (this.#staleSince !== undefined) {
      this.#staleSince = undefined;
      this.router.stale(null);
    }
  }

  #serveA2a(): void {
    const rule = this.#rules.a2aServer;
    const key = JSON.stringify(rule);
    if (this.#a2a?.key === key) return;
    this.#closeA2a();
    if (rule === undefined) return;
    const { host, port, url } = rule;
    const server = this.#startA2a({ host, port, ...(url === undefined ? {} : { url }) });
    this.#a2a = { key, server };
  }

  async #startA2a(address: {
    readonly host: string;
    readonly port: number;
    readonly url?: string;
  }): Promise<{ close(): void } | undefined> {
    const { desk, dir, target, history, recorded } = this.#parts;
    try {
      const { ApprovalServer } = await import('@plimsoll/adapters/a2a');
      const server = await ApprovalServer.start({
        ...address,
        service: this.#rules.service ?? target,
        version,
        approvals: await desk(),
        ...(recorded !== undefined && { recorded }),
        authenticate: (token) => findApprover(approverFile(dir), token),
        lane: (work) => management(work),
      });
      history.note('alert', { event: 'a2a-server', text: `approvals are taken over A2A at ${server.url}` });
      return server;
    } catch (error) {
      // Approvals go on over the other channels.
      const text = isPlimsollError(error) ? error.message : 'the A2A server could not be started';
      history.note('alert', { event: 'a2a-failed', text });
      process.emitWarning(String(error), { type: 'PlimsollWarning' });
      return undefined;
    }
  }

  #closeA2a(): void {
    void this.#a2a?.server.then((server) => server?.close());
    this.#a2a = undefined;
  }

  #record(event: AlertEvent): void {
    const { history, dir } = this.#parts;
    if (event.event === 'silenced' || event.event === 'unsilenced')
      writeSilences(dir, this.router.silences());
    history.note('alert', alertEntry(event));
  }
}
