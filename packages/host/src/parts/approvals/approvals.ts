import { installHeldGate } from '@plimsoll/core/internal/gate/approval';
import type { HeldGate } from '@plimsoll/core/internal/gate/approval';
import type { LevelChange } from '@plimsoll/govern/internal/level/level-change';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { Part } from '../part.ts';
import type { approvalsOf, HostApprovals } from './host-approvals.ts';

type Make = typeof approvalsOf;

/** The gate of a process without a policy. Such a process only observes, so nothing has to wait. */
const openGate: HeldGate = {
  needs: () => false,
  hold: () => Promise.resolve({ state: 'not-needed', id: null, by: null }),
};

/** The approvals of the process. With a policy they are made at the start, without one at the first request. */
export class ApprovalsPart implements Part {
  readonly #of: Parameters<Make>;
  #approvals: HostApprovals | undefined;
  #closeGate: (() => void) | undefined;

  /** `make` is undefined without a policy. */
  constructor(make: Make | undefined, ...of: Parameters<Make>) {
    this.#of = of;
    this.#approvals = make?.(...of);
  }

  start(): void {
    if (this.#approvals === undefined) this.#closeGate = installHeldGate(openGate);
    else this.#approvals.start();
  }

  take(): void {
    this.#approvals?.tick();
  }

  swap(policy: Policy): void {
    this.#approvals?.setPolicy(policy);
  }

  levelChanged(change: LevelChange): void {
    this.#approvals?.levelChanged(change);
  }

  exit(): void {
    this.#approvals?.close();
  }

  stop(): void {
    this.#closeGate?.();
    this.#approvals?.close();
  }

  async desk(): Promise<HostApprovals['desk']> {
    const { approvalsOf } = await import('./host-approvals.ts');
    this.#approvals ??= approvalsOf(...this.#of);
    return this.#approvals.desk;
  }
}
