import type { ReportBoard } from '../report-board.ts';
import type { DelegationEvents } from './events.ts';
import type { DelegationSettings } from './settings.ts';

interface Record {
  failures: number;
  /** Monotonic ms until which the agent is left alone; 0 while it is not. */
  openUntil: number;
  isProbing: boolean;
}

/** Agents whose failures are remembered; the one that failed longest ago makes room. */
const mostAgents = 1000;

/** The breaker of each agent: after failures in a row the agent is left alone, then tried by one delegation. */
export class FailureGate {
  readonly #settings: DelegationSettings;
  readonly #board: ReportBoard<DelegationEvents>;
  readonly #records = new Map<string, Record>();

  constructor(settings: DelegationSettings, board: ReportBoard<DelegationEvents>) {
    this.#settings = settings;
    this.#board = board;
  }

  /** Agents that are left alone now. */
  get open(): string[] {
    return [...this.#records].filter(([, record]) => record.openUntil > 0).map(([agent]) => agent);
  }

  /** Whether a delegation may go to the agent: yes, as the one that probes it, or not before some ms. */
  admit(agent: string): 'yes' | 'probe' | number {
    if (this.#records.size === 0) return 'yes';
    const record = this.#records.get(agent);
    if (record === undefined || record.openUntil === 0) return 'yes';
    const left = record.openUntil - this.#settings.clock.monotonic();
    if (left > 0) return left;
    return record.isProbing ? 0 : 'probe';
  }

  /** True when the delegation that has just been admitted probes the agent. */
  tryProbe(agent: string): boolean {
    if (this.#records.size === 0 || this.admit(agent) !== 'probe') return false;
    (this.#records.get(agent) as Record).isProbing = true;
    this.#board.emit('agent-probe', { agent });
    return true;
  }

  succeeded(agent: string): void {
    if (this.#records.size === 0) return;
    const record = this.#records.get(agent);
    if (record === undefined) return;
    this.#records.delete(agent);
    if (record.openUntil > 0) this.#board.emit('agent-closed', { agent });
  }

  failed(agent: string): void {
    const record = this.#records.get(agent) ?? { failures: 0, openUntil: 0, isProbing: false };
    this.#records.delete(agent);
    this.#records.set(agent, record);
    record.isProbing = false;
    if (++record.failures >= this.#settings.failures) {
      record.openUntil = this.#settings.clock.monotonic() + this.#settings.failurePause;
      this.#board.emit('agent-open', { agent, failures: record.failures, untilMs: record.openUntil });
    }
    if (this.#records.size > mostAgents) this.#records.delete(this.#records.keys().next().value as string);
  }

  /** The probe ended without telling anything, because it was cancelled or refused. */
  unprobed(agent: string): void {
    const record = this.#records.get(agent);
    if (record !== undefined) record.isProbing = false;
  }
}
