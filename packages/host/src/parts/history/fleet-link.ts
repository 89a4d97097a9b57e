import { hostname } from 'node:os';
import type { ApprovalDesk } from '@plimsoll/govern/internal/approvals/approval-desk';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { FleetFirst, FleetOptions, FleetVote } from '@plimsoll/ledger/internal/postgres/fleet-options';
import type { LedgerOptions } from '@plimsoll/ledger';
import type { HostSettings } from '../settings.ts';

/** Longest wait of an alert for the answer whether the fleet already knows the finding. */
const knownWithinMs = 5000;
const mostKnown = 1000;

type Desk = Pick<ApprovalDesk, 'decide'>;

/**
 * The answers of the fleet's database: the findings that this process was the first to ship, and votes of operators elsewhere. Nothing here
 * waits for the database longer than a few seconds, and nothing depends on it. An alert without an answer is sent.
 */
export class FleetLink {
  readonly options: LedgerOptions['fleet'];
  readonly #desk: () => Promise<Desk>;
  readonly #isFirst = new Map<string, boolean>();
  readonly #waiting = new Map<string, Set<(isFirst: boolean) => void>>();

  constructor(fleet: FleetOptions, desk: () => Promise<Desk>) {
    this.#desk = desk;
    this.options = {
      ...fleet,
      onFindings: (findings) => this.#hear(findings),
      onVotes: (votes) => void this.#vote(votes),
    };
  }

  /** The link of a process with a database URL. */
  static of(settings: HostSettings, policy: Policy, desk: () => Promise<Desk>): FleetLink | undefined {
    const url = settings.ledgerUrl ?? policy.retention.url;
    if (url === undefined) return undefined;
    const identity = {
      service: policy.alerts.service ?? settings.service ?? settings.target,
      release: policy.release ?? settings.release ?? 'unknown',
      host: hostname(),
      pid: process.pid,
      node: process.version,
      ...(settings.liveUrl !== undefined && { live: settings.liveUrl }),
    };
    const { spoolBytes } = policy.retention;
    return new FleetLink({ url, identity, ...(spoolBytes !== undefined && { spoolBytes }) }, desk);
  }

  /**
   * Whether this process sends the alert of a finding. It does when it was the first of its service, or when the database does not answer
   * in time.
   */
  async mayTell(fingerprint: string): Promise<boolean> {
    const known = this.#isFirst.get(fingerprint);
    if (known !== undefined) return known;
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(fingerprint) ?? new Set();
      this.#waiting.set(fingerprint, waiters);
      const done = (isFirst: boolean): void => {
        clearTimeout(timer);
        waiters.delete(done);
        if (waiters.size === 0) this.#waiting.delete(fingerprint);
        resolve(isFirst);
      };
      const timer = setTimeout(() => done(true), knownWithinMs).unref();
      waiters.add(done);
    });
  }

  #hear(findings: readonly FleetFirst[]): void {
    for (const { fingerprint, isFirst } of findings) {
      // The first answer counts, because the same finding is shipped again with every new count.
      if (!this.#isFirst.has(fingerprint)) this.#isFirst.set(fingerprint, isFirst);
      if (this.#isFirst.size > mostKnown) this.#isFirst.delete([...this.#isFirst.keys()][0] as string);
      for (const tell of this.#waiting.get(fingerprint) ?? []) tell(this.#isFirst.get(fingerprint) ?? true);
    }
  }

  /** Hands votes to the desk. The desk checks every vote itself, uses its key to take it once, and writes the result into the audit. */
  async #vote(votes: readonly FleetVote[]): Promise<void> {
    const desk = await this.#desk();
    for (const vote of votes) {
      try {
        desk.decide(vote);
      } catch {
        // The ticket was decided meanwhile, or the policy does not allow the vote. The next entry of the approval gives the fleet the true
        // state.
      }
    }
  }
}
