import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scope } from '@plimsoll/core';
import { callSignal } from '@plimsoll/core/adapter';

/** Whoever closes the scope before the call has ended stops the call. Returns what the scope owns for it, to take back when the call ends. */
export function stopOnClose(scope: Scope, abort: (reason: unknown) => void): () => void {
  const stop = (): void => abort(new DOMException(`${scope.path} was closed`, 'AbortError'));
  scope.own(stop, 'call');
  return stop;
}

/** A call of a framework whose first scope is opened further in. */
interface Call {
  readonly abort: (reason: unknown) => void;
}

/** Options of a call, as far as they are used here. */
type Options = Readonly<Record<string, unknown>>;

/** Calls of a framework that end when the scope is closed that they have opened, and no others with them. */
export class StoppableCalls {
  readonly #calls = new AsyncLocalStorage<Call>();
  readonly #stops = new WeakMap<Scope, () => void>();

  /** Runs a call with a signal of its own, which follows the one that the caller gave under this name. */
  run<T>(options: Options | undefined, name: string, work: (options: Options) => T): T {
    const given = options?.[name];
    if (given !== undefined && !(given instanceof AbortSignal)) return work(options as Options);
    const { signal, abort } = callSignal(given);
    return this.#calls.run({ abort }, () => work({ ...options, [name]: signal }));
  }

  /** A run or an agent was opened by the running call. */
  opened(scope: Scope): void {
    const call = this.#calls.getStore();
    if (call !== undefined) this.#stops.set(scope, stopOnClose(scope, call.abort));
  }

  /** The call ends by itself. */
  ends(scope: Scope): void {
    const stop = this.#stops.get(scope);
    if (stop === undefined) return;
    this.#stops.delete(scope);
    scope.disown(stop);
  }
}
