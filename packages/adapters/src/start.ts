/** What the host connects: every adapter that is not off. Frameworks that are not there cost nothing: their channels stay silent. */
import { sessions } from '@plimsoll/core/adapter';
import { warnOnce } from '@plimsoll/core/internal/errors';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { AdapterName } from '@plimsoll/govern/internal/policy/sections/adapters';
import { plimsoll as ai } from './ai/ai.ts';
import { frameworks } from './framework-slot.ts';
import { plimsoll as http } from './http/http.ts';
import { plimsoll as mcp } from './mcp/mcp.ts';

type Connect = (policy: () => Policy) => () => void;

const adapters: Readonly<Partial<Record<AdapterName, Connect>>> = {
  http: (policy) => http({ from: () => policy().sessions.from, refuses: () => policy().mode === 'enforce' }),
  ai: () => ai(),
  mcp: (policy) => mcp({ closesIdle: () => policy().sessions.isIdleGiven || policy().mode === 'enforce' }),
};

/** The adapters of a process: connected by the policy in force. */
export class Adapters {
  readonly #ends = new Map<string, () => void>();
  #policy: Policy;

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  /** Connects and disconnects as the policy says. */
  follow(policy: Policy): void {
    this.#policy = policy;
    const { idleMs, most } = policy.sessions;
    sessions().configure({ idleMs, most });
    for (const [name, connect] of Object.entries(adapters)) {
      const isOn = policy.adapters[name as AdapterName] !== false;
      if (isOn && !this.#ends.has(name))
        this.#ends.set(
          name,
          connect(() => this.#policy),
        );
      else if (!isOn) this.#end(name);
    }
    this.#tell();
  }

  stop(): void {
    for (const name of this.#ends.keys()) this.#end(name);
  }

  #end(name: string): void {
    this.#ends.get(name)?.();
    this.#ends.delete(name);
  }

  /** Says once what a framework's file did not have. */
  #tell(): void {
    for (const missed of frameworks().unhooked) {
      const [adapter = missed, what = missed] = missed.split('.');
      if (this.#ends.has(adapter))
        warnOnce('PLM_ADAPTER_UNHOOKED', {
          adapter,
          what,
          reason: 'this version of the framework has no such name',
        });
    }
  }
}
