import { builtInPolicy } from '../policy/built-in.ts';
import type { Policy } from '../policy/policy.ts';
import type { Level } from '@plimsoll/core/internal/level';
import type { ApprovalRule } from '../policy/sections/approvals.ts';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import type { DeskDecision } from './decision.ts';
import { ApprovalDesk } from './approval-desk.ts';
import type { ApprovalRow } from './approval-row.ts';
import type { TicketRequest } from './ticket.ts';

const place = { file: 'plimsoll.yaml', line: 1, column: 1 };

export function ruleOf(changes: Partial<ApprovalRule> = {}): ApprovalRule {
  return {
    name: 'ops',
    by: ['group:sre'],
    quorum: 1,
    ttlMs: 120_000,
    onExpiry: 'skip',
    breakGlass: 'never',
    pendingMax: 32,
    place,
    ...changes,
  };
}

/** The built-in policy, enforced, with these entries beside `operator`. */
export function policyWith(rules: readonly ApprovalRule[], changes: Partial<Policy> = {}): Policy {
  const named = Object.fromEntries(rules.map((rule) => [rule.name, rule]));
  const approvals = {
    ...builtInPolicy.approvals,
    rules: { ...builtInPolicy.approvals.rules, ...named },
  };
  return { ...builtInPolicy, mode: 'enforce', revision: 7, sha256: 'a'.repeat(64), approvals, ...changes };
}

/** A desk with clock, levels and ids that a test sets. */
export class DeskRig implements Disposable {
  readonly clock = new FakeClock();
  readonly levels = new Map<string, Level>([['process', 'critical']]);
  readonly changes: ApprovalRow[] = [];
  readonly ran: string[] = [];
  readonly desk: ApprovalDesk;
  policy: Policy;
  /** Makes the listener throw. */
  isDeaf = false;
  #ids = 0;

  constructor(...rules: readonly ApprovalRule[]) {
    this.policy = policyWith(rules.length === 0 ? [ruleOf()] : rules);
    this.desk = new ApprovalDesk({
      policy: this.policy,
      clock: this.clock,
      levelOf: (scope) => this.levels.get(scope) ?? 'normal',
      onChange: (row) => {
        if (this.isDeaf) throw new Error('nobody listens');
        this.changes.push(row);
      },
      newId: () => `t${++this.#ids}`,
    });
  }

  /** Files a ticket as a rung of the ladder does. */
  ask(changes: Partial<TicketRequest> = {}): { id: string; state: string } {
    const { revision, sha256 } = this.policy;
    return this.desk.request({
      approval: 'ops',
      kind: 'action',
      action: 'scope.stop',
      scope: 'process',
      args: { victim: 'process/session:7' },
      level: 'critical',
      why: 'process holds 340.0 MiB of 400.0 MiB (85 %).',
      evidence: { usedBytes: 356_515_840, victim: 'process/session:7' },
      requestedBy: 'ladder.critical (plimsoll.yaml:30)',
      policy: { revision, sha256 },
      isStillValid: () => true,
      run: (as) => {
        this.ran.push(as);
      },
      ...changes,
    });
  }

  decide(id: string, changes: Partial<DeskDecision> = {}): { row: ApprovalRow; replayed: boolean } {
    return this.desk.decide({
      id,
      digest: this.desk.row(id)?.digest ?? '',
      decision: 'approve',
      by: 'user:ada',
      groups: ['sre'],
      channel: 'cli',
      ...changes,
    });
  }

  row(id: string): ApprovalRow {
    return this.desk.row(id) as ApprovalRow;
  }

  level(scope: string, level: Level): void {
    this.levels.set(scope, level);
    this.desk.levelChanged(scope, level);
  }

  [Symbol.dispose](): void {
    this.desk.close();
  }
}

export const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    return (error as { code: string }).code;
  }
};
