import type { Scope } from '@plimsoll/core';
import { agentAround, holdsNow } from '../held-object.ts';

/** The state of a run: what was asked, what the models answered, and the results of tools among the items. */
export interface RunState {
  readonly _context?: object;
  readonly _originalInput?: unknown;
  readonly _modelResponses?: readonly unknown[];
  readonly _generatedItems?: readonly { readonly rawItem?: unknown; readonly output?: unknown }[];
}

/** What decides which input is stored in a session of the program; it has its own copies of the input. */
interface Tracker {
  readonly originalSnapshot?: unknown;
  readonly filteredSnapshot?: unknown;
  readonly initialPreparedItems?: unknown;
  readonly ownedFilteredItems?: unknown;
}

/**
 * What a run holds: its conversation with the copies that the framework makes of it, and not the definition of the agent, which all sessions
 * share. The framework copies the input up to six times per turn, and keeps the copies in variables of its functions. Those functions are
 * told of by their run's context.
 */
export class RunHoldings {
  readonly #states = new WeakMap<Scope, RunState>();
  readonly #prepared = new WeakMap<object, unknown>();
  readonly #trackers = new WeakMap<object, Tracker>();

  /** An agent of the run has begun a turn. */
  turns(agent: Scope, state: RunState): void {
    this.#states.set(agent, state);
    this.renew(agent);
  }

  /** Says again what the agent of a scope holds, when something inside it begins. */
  renew(scope: Scope | undefined): void {
    const agent = agentAround(scope);
    const state = agent === undefined ? undefined : this.#states.get(agent);
    if (agent !== undefined && state !== undefined) holdsNow(agent, this.#of(state));
  }

  /** The input of the next model call was made, with a copy of it for the session of the program. */
  prepared(context: unknown, made: unknown): void {
    if (isObject(context)) this.#prepared.set(context, made);
  }

  tracked(context: unknown, tracker: unknown): void {
    if (isObject(context) && isObject(tracker)) this.#trackers.set(context, tracker);
  }

  #of(state: RunState): object {
    const {
      _context: context,
      _originalInput: input,
      _modelResponses: responses,
      _generatedItems: items,
    } = state;
    const { originalSnapshot, filteredSnapshot, initialPreparedItems, ownedFilteredItems } =
      (context && this.#trackers.get(context)) ?? {};
    const copies = [originalSnapshot, filteredSnapshot, initialPreparedItems, ownedFilteredItems];
    return {
      input,
      responses,
      items: items?.map(({ rawItem }) => rawItem),
      results: items?.map(({ output }) => output),
      prepared: context && this.#prepared.get(context),
      stored: copies.filter((copy) => copy !== undefined),
    };
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
