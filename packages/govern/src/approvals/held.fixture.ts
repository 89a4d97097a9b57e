import type { Policy } from '../policy/policy.ts';
import type { Level } from '@plimsoll/core/internal/level';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { ApprovalDesk } from './approval-desk.ts';
import type { ApprovalRow } from './approval-row.ts';
import { installHeldGate } from '@plimsoll/core/internal/gate/approval';
import { policyWith } from './desk.fixture.ts';
import type { HeldRequestsOptions } from './held-requests.ts';
import { HeldRequests } from './held-requests.ts';

/** A governed process in which operations wait, with clock, level and policy set by a test. */
export class HeldRig implements Disposable {
  readonly clock = new FakeClock();
  readonly wouldHave: string[] = [];
  readonly desk: ApprovalDesk;
  readonly held: HeldRequests;
  policy: Policy;
  level: Level = 'normal';
  readonly #uninstall: () => void;
  #ids = 0;

  constructor(policy: Partial<Policy> = {}, options: Partial<HeldRequestsOptions> = {}) {
    this.policy = policyWith([], policy);
    this.desk = new ApprovalDesk({
      policy: this.policy,
      clock: this.clock,
      levelOf: (scope) => (scope === 'process' ? this.level : 'normal'),
      newId: () => `t${++this.#ids}`,
    });
    this.held = new HeldRequests({
      desk: this.desk,
      policy: () => this.policy,
      level: () => this.level,
      clock: this.clock,
      random: () => 0.5,
      onWouldHave: (text) => this.wouldHave.push(text),
      ...options,
    });
    this.#uninstall = installHeldGate(this.held);
  }

  open(): readonly ApprovalRow[] {
    return this.desk.rows().filter((row) => row.state === 'open');
  }

  /** Decides, as the owner, the ticket with the soonest deadline. */
  decide(decision: 'approve' | 'deny', id?: string): ApprovalRow {
    const row = id === undefined ? (this.open()[0] as ApprovalRow) : (this.desk.row(id) as ApprovalRow);
    return this.desk.decide({
      id: row.id,
      digest: row.digest,
      decision,
      by: 'user:ada',
      groups: [],
      isOwner: true,
      channel: 'cli',
    }).row;
  }

  setLevel(level: Level): void {
    this.level = level;
    this.desk.levelChanged('process', level);
    this.held.levelChanged(level);
  }

  setPolicy(changes: Partial<Policy>): void {
    this.policy = { ...this.policy, ...changes };
    this.desk.setPolicy(this.policy);
  }

  [Symbol.dispose](): void {
    this.desk.close();
    this.held[Symbol.dispose]();
    this.#uninstall();
  }
}
