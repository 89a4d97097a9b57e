/**
 * What the host connects: every adapter that is not off and whose framework the program can load. The others are not loaded, because each
 * module takes 20 KB of the program's heap.
 */
import * as nodeModule from 'node:module';
import { sessions } from '@plimsoll/core/internal/adapter/session-book';
import { warnOnce } from '@plimsoll/core/internal/errors';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { AdapterName } from '@plimsoll/govern/internal/policy/sections/adapters';
import { frameworks } from './framework-slot.ts';
import { defaultSendQueueBytes, plimsoll as http } from './http/http.ts';

type Connect = (policy: () => Policy) => () => void;

const adapters: Readonly<Record<Exclude<AdapterName, 'http'>, () => Promise<Connect>>> = {
  ai: async () => (await import('./ai/ai.ts')).plimsoll,
  mcp: async () => {
    const { plimsoll } = await import('./mcp/mcp.ts');
    return (policy) =>
      plimsoll({
        closesIdle: () => policy().sessions.isIdleGiven || policy().mode === 'enforce',
        mostEvents: () => policy().sessions.mostEvents,
      });
  },
  langgraph: async () => {
    const { plimsoll } = await import('./langgraph/langgraph.ts');
    return (policy) => plimsoll({ checkpoints: () => policy().sessions.checkpoints });
  },
  'openai-agents': async () => (await import('./openai-agents/openai-agents.ts')).plimsoll,
  otel: async () => {
    const { plimsoll } = await import('./otel/otel.ts');
    return (policy) => plimsoll({ exportsIds: () => policy().sessions.exportsIds });
  },
  mastra: async () => {
    const { plimsoll } = await import('./mastra/mastra.ts');
    return (policy) =>
      plimsoll({
        checkpoints: () => policy().sessions.checkpoints,
        parkedMs: () => (policy().sessions.isIdleGiven ? policy().sessions.idleMs : undefined),
      });
  },
};

const connectHttp: Connect = (policy) =>
  http({
    from: () => policy().sessions.from,
    refuses: () => policy().mode === 'enforce',
    sendQueueBytes: () =>
      policy().sessions.sendQueueBytes ?? (policy().mode === 'enforce' ? defaultSendQueueBytes : undefined),
  });

/** The adapters of a process: connected by the policy in force. */
export class Adapters {
  readonly #ends = new Map<string, () => void>();
  #policy: Policy;
  #isStopped = false;

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  /** Connects and disconnects as the policy says. */
  follow(policy: Policy): void {
    this.#policy = policy;
    const { idleMs, most } = policy.sessions;
    sessions().configure({ idleMs, most });
    this.#switch('http', async () => connectHttp);
    for (const [name, load] of Object.entries(adapters)) this.#switch(name as AdapterName, load);
  }

  /** Connects or disconnects one adapter. */
  #switch(name: AdapterName, load: () => Promise<Connect>): void {
    if (!this.#isWanted(name)) this.#end(name);
    else if (!this.#ends.has(name)) void this.#connect(name, load);
  }

  #isWanted(name: AdapterName): boolean {
    if (this.#isStopped || this.#policy.adapters[name] === false) return false;
    return name === 'http' || frameworks().found.has(name);
  }

  async #connect(name: AdapterName, load: () => Promise<Connect>): Promise<void> {
    try {
      const connect = await load();
      // The policy may have changed while the module was loaded.
      if (!this.#isWanted(name) || this.#ends.has(name)) return;
      this.#ends.set(
        name,
        connect(() => this.#policy),
      );
      this.#tell();
    } catch (error) {
      warnOnce('PLM_ADAPTER_UNHOOKED', { adapter: name, what: 'its framework', reason: String(error) });
    }
  }

  stop(): void {
    this.#isStopped = true;
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
          reason:
            typeof nodeModule.registerHooks === 'function'
              ? 'this version of the framework has no such name'
              : `Node.js ${process.versions.node} has no module.registerHooks`,
        });
    }
  }
}
