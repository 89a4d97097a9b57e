import type { Scope } from '@plimsoll/core';
import { agentAround, holdsNow } from '../held-object.ts';

/** What one call holds. */
interface Holding {
  messages: unknown;
  readonly results: unknown[];
}

/** What each call holds: the messages of its step, and the results of its tools as they came, of which the messages have copies. */
export class CallHoldings {
  readonly #holdings = new WeakMap<Scope, Holding>();

  messages(scope: Scope, messages: unknown): void {
    const agent = messages === undefined ? undefined : agentAround(scope);
    if (agent?.state === 'open') this.#holdingOf(agent).messages = messages;
  }

  resultOf(tool: Scope, result: unknown): void {
    const agent = agentAround(tool);
    if (agent?.state === 'open') this.#holdingOf(agent).results.push(result);
  }

  /** Of an agent that is in use now, so that the census measures it again. */
  #holdingOf(agent: Scope): Holding {
    let holding = this.#holdings.get(agent);
    if (holding === undefined) {
      holding = { messages: undefined, results: [] };
      this.#holdings.set(agent, holding);
      holdsNow(agent, holding);
    } else agent.touch();
    return holding;
  }
}
