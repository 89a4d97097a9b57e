import { Adapters } from '@plimsoll/adapters/internal/start';
import { areOff } from '@plimsoll/adapters/internal/install';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { Part } from './part.ts';

/** Connects the adapters of frameworks that the policy in force switches on. PLIMSOLL_ADAPTERS=off disables them all. */
export class AdaptersPart implements Part {
  readonly #adapters: Adapters | undefined;
  readonly #policy: Policy;

  constructor(policy: Policy) {
    this.#policy = policy;
    this.#adapters = areOff(process.env) ? undefined : new Adapters(policy);
  }

  start(): void {
    this.#adapters?.follow(this.#policy);
  }

  swap(policy: Policy): void {
    this.#adapters?.follow(policy);
  }

  stop(): void {
    this.#adapters?.stop();
  }
}
