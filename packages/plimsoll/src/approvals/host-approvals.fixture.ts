import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { Level } from '@plimsoll/core/internal/level';
import type { TicketRequest } from '@plimsoll/govern/internal/approvals/ticket';
import { openLedger } from '@plimsoll/ledger';
import type { AuditEntry, Ledger } from '@plimsoll/ledger';
import { approverFile, socketPath, writeDescriptor } from '@plimsoll/host/protocol';
import { FeedServer } from '@plimsoll/host/internal/feed/feed-server';
import { HostApprovals } from '@plimsoll/host/internal/parts/approvals/host-approvals';
import { approvalOps } from '@plimsoll/host/internal/control/approvals';

/** The parts of a governed process for approvals: desk, ledger, socket and descriptor, without sensors. */
export class ApprovalHost implements AsyncDisposable {
  readonly dir: string;
  readonly ledger: Ledger;
  readonly approvals: HostApprovals;
  readonly feed: FeedServer;
  readonly entries: AuditEntry[] = [];
  readonly ran: string[] = [];
  policy: Policy;
  level: Level = 'critical';

  constructor(dir: string = mkdtempSync(join(tmpdir(), 'plimsoll-approvals-')), policy?: Policy) {
    this.dir = dir;
    this.policy = policy ?? enforcedPolicy();
    this.ledger = openLedger({ dir: join(dir, 'ledger') });
    this.approvals = new HostApprovals({
      policy: () => this.policy,
      levelOf: () => this.level,
      ledger: this.ledger,
      write: (entry) => {
        this.entries.push(entry);
        void this.ledger.audit(entry).catch(() => undefined);
      },
    });
    this.feed = new FeedServer(socketPath(dir, process.pid));
    this.feed.offer([approvalOps(this.approvals.desk, approverFile(dir, {}))]);
  }

  async start(): Promise<this> {
    await this.ledger.audit({ kind: 'start', body: { pid: process.pid } });
    this.approvals.start();
    const socket = socketPath(this.dir, process.pid);
    writeDescriptor(this.dir, { pid: process.pid, target: 'node server.js', startedAt: 1, socket });
    this.feed.listen((error) => {
      throw error;
    });
    return this;
  }

  /** Files a ticket for a rung of the ladder. */
  ask(changes: Partial<TicketRequest> = {}): string {
    const { revision, sha256 } = this.policy;
    return this.approvals.desk.request({
      approval: 'ops',
      kind: 'action',
      action: 'scope.stop',
      scope: 'process',
      args: {},
      level: 'critical',
      why: 'process holds 340.0 MiB of 400.0 MiB (85 %).',
      evidence: { level: 'critical', usedBytes: 356_515_840, victims: 'process/session:7' },
      requestedBy: 'ladder.critical (plimsoll.yaml:30)',
      policy: { revision, sha256 },
      isStillValid: () => true,
      run: (as) => void this.ran.push(as),
      ...changes,
    }).id;
  }

  async stop(): Promise<void> {
    this.approvals.close();
    this.feed.close();
    await this.ledger.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** An enforced policy with an entry "ops" for the owner and sre, and an entry "two" that needs two members of sre. */
export function enforcedPolicy(): Policy {
  const operator = builtInPolicy.approvals.rules['operator'] as NonNullable<
    (typeof builtInPolicy.approvals.rules)[string]
  >;
  const ops = { ...operator, name: 'ops', by: ['owner', 'group:sre'], onExpiry: 'skip' as const };
  const two = { ...ops, name: 'two', by: ['group:sre'], quorum: 2 };
  return {
    ...builtInPolicy,
    mode: 'enforce',
    approvals: { ...builtInPolicy.approvals, rules: { operator, ops, two } },
  };
}
