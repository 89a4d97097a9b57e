import { ApprovalDesk } from '@plimsoll/govern/internal/approvals/approval-desk';
import { HeldRequests } from '@plimsoll/govern/internal/approvals/held-requests';
import { installHeldGate } from '@plimsoll/core/internal/gate/approval';
import type { ApprovalRow } from '@plimsoll/govern/internal/approvals/approval-row';
import type { Governor } from '@plimsoll/govern/internal/level/governor';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { Level } from '@plimsoll/core/internal/level';
import type { LevelChange } from '@plimsoll/govern/internal/level/level-change';
import type { AuditEntry, Ledger } from '@plimsoll/ledger';
import { approvalEntry } from '../../protocol/approval-entry.ts';
import { lostApprovals } from './lost-approvals.ts';
import type { GovernanceParts } from '../govern/governance.ts';

/** Most rows in the frame. The operation `approvals.list` returns the others. */
const frameRows = 40;
const wouldHaveEveryMs = 10_000;
const mostVotes = 2048;

interface HostApprovalsParts {
  readonly policy: () => Policy;
  readonly levelOf: (scope: string) => Level;
  /** Writes into the ledger; never throws. */
  readonly write: (entry: AuditEntry) => void;
  readonly ledger: { readonly dir: string; readonly run: number };
}

/** Makes the approvals of a host and registers them with the ladder and the frame. */
export function approvalsOf(governor: Governor, ledger: Ledger, parts: GovernanceParts): HostApprovals {
  const approvals = new HostApprovals({
    policy: () => governor.policy,
    levelOf: (scope) =>
      scope === 'process'
        ? governor.level
        : (governor.raised().find((row) => row.scope === scope)?.level ?? 'normal'),
    write: (entry) => void ledger.audit(entry).catch(() => undefined),
    ledger,
  });
  parts.approvals = approvals.desk;
  parts.approvalRows = () => approvals.rows();
  parts.approvalCount = () => approvals.count;
  return approvals;
}

/** The approvals of a governed process: the desk, the held requests, and a ledger entry for every change. */
export class HostApprovals implements Disposable {
  readonly desk: ApprovalDesk;
  readonly held: HeldRequests;
  readonly #parts: HostApprovalsParts;
  /** Number of votes per ticket that were written into the ledger. */
  readonly #votes = new Map<string, number>();
  #uninstall: (() => void) | undefined;
  #wouldHave = { atMs: Number.NEGATIVE_INFINITY, since: 0 };

  constructor(parts: HostApprovalsParts) {
    this.#parts = parts;
    this.desk = new ApprovalDesk({
      policy: parts.policy(),
      levelOf: parts.levelOf,
      onChange: (row) => this.#record(row),
    });
    this.held = new HeldRequests({
      desk: this.desk,
      policy: parts.policy,
      level: () => parts.levelOf('process'),
      onWouldHave: (text, scope) => this.#recordWouldHave(text, scope),
    });
  }

  /** Begins to hold requests that need an approval, and closes the tickets that an earlier process of this ledger left open. */
  start(): void {
    this.#uninstall = installHeldGate(this.held);
    this.#closeLost();
  }

  tick(): void {
    this.desk.tick();
  }

  levelChanged({ scope, level }: Pick<LevelChange, 'scope' | 'level'>): void {
    this.desk.levelChanged(scope, level);
    if (scope === 'process') this.held.levelChanged(level);
  }

  setPolicy(policy: Policy): void {
    this.desk.setPolicy(policy);
  }

  /** For the frame: open ones first. */
  rows(): readonly ApprovalRow[] {
    return this.desk.rows(frameRows);
  }

  get count(): number {
    return this.desk.counts.requested;
  }

  /** Denies every open ticket as lost. It is also called while the process exits. */
  close(): void {
    this.#uninstall?.();
    this.desk.close();
    this.held.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #closeLost(): void {
    const { ledger, write } = this.#parts;
    const now = Date.now();
    try {
      for (const row of lostApprovals(ledger.dir, ledger.run, now)) write(approvalEntry(row, false, now));
    } catch {
      // The file is being recovered by its writer, or cannot be read at all: the next start closes them.
    }
  }

  #record(row: ApprovalRow): void {
    const known = this.#votes.get(row.id) ?? 0;
    const isNewVote = row.votes.length > known;
    if (isNewVote) this.#votes.set(row.id, row.votes.length);
    // The desk remembers fewer tickets than this, so the oldest one is settled.
    if (this.#votes.size > mostVotes) this.#votes.delete([...this.#votes.keys()][0] as string);
    this.#parts.write(approvalEntry(row, isNewVote, Date.now()));
  }

  /** Shadow mode under load would fill the ledger, so one entry per ten seconds says how many it stands for. */
  #recordWouldHave(text: string, scope: string): void {
    const nowMs = performance.now();
    if (nowMs - this.#wouldHave.atMs < wouldHaveEveryMs) {
      this.#wouldHave.since++;
      return;
    }
    const before = this.#wouldHave.since;
    this.#wouldHave = { atMs: nowMs, since: 0 };
    const more = before === 0 ? '' : ` and ${before} more before it`;
    const { revision } = this.#parts.policy();
    this.#parts.write({
      kind: 'action',
      scope,
      body: {
        action: 'approval.hold',
        outcome: 'would-have',
        mode: 'shadow',
        freedBytes: 0,
        text: `${text}${more}`,
        rule: `approvals, revision ${revision}`,
      },
    });
  }
}
