import type { Scope } from '@plimsoll/core';
import { agentAround, holdsNow } from '../held-object.ts';

/** What one call holds. */
interface Holding {
  readonly messages: unknown;
  readonly results: readonly unknown[];
}

const nothing: Holding = { messages: undefined, results: [] };

/** What each call holds: the messages of its step, and the results of its tools as they came, of which the messages have copies. */
export class CallHoldings {
  readonly #holdings = new WeakMap<Scope, Holding>();

  messages(scope: Scope, messages: unknown): void {
    if (messages !== undefined) this.#change(scope, (known) => ({ ...known, messages }));
  }

  resultOf(tool: Scope, result: PromiseLike<unknown>): void {
    const agent = agentAround(tool);
    if (agent === undefined) return;
    const note = (made: unknown): void =>
      this.#change(agent, (known) => ({ ...known, results: [...known.results, made] }));
    result.then(note, () => undefined);
  }

  #change(scope: Scope, change: (known: Holding) => Holding): void {
    const agent = agentAround(scope);
    if (agent?.state !== 'open') return;
    const holding = change(this.#holdings.get(agent) ?? nothing);
    this.#holdings.set(agent, holding);
    holdsNow(agent, holding);
  }
}
