import { slots } from '@plimsoll/core/internal/slots';
import type { FrameworkSlot } from '@plimsoll/core/internal/slots';

type Callable = (this: unknown, ...args: unknown[]) => unknown;

/** A value of a framework, and how a function among them is swapped for the one of an adapter. */
interface Loaded {
  readonly value: unknown;
  /** Undefined for a class: an adapter changes its prototype. */
  readonly use: ((value: Callable) => void) | undefined;
}

/** Copies of one framework in one process; beyond them it is a bundler or test runner that loads it again and again. */
const mostCopies = 16;

/**
 * The meeting place of frameworks and adapters. A framework is loaded before the adapters, which come with the host: until then its
 * functions are called as they are, and afterwards through the adapter.
 */
class Frameworks implements FrameworkSlot {
  readonly #loaded = new Map<string, Loaded[]>();
  readonly #patches = new Map<string, (value: unknown) => unknown>();
  readonly unhooked = new Set<string>();
  readonly connected = new Map<string, () => void>();
  readonly found = new Set<string>();

  loaded(name: string, value: unknown, replace?: (value: unknown) => void): void {
    const list = this.#loaded.get(name) ?? [];
    if (list.length >= mostCopies) return;
    const entry: Loaded = {
      value,
      use: replace === undefined ? undefined : trampoline(value as Callable, replace),
    };
    list.push(entry);
    this.#loaded.set(name, list);
    const patch = this.#patches.get(name);
    if (patch !== undefined) apply(entry, patch);
  }

  missed(name: string): void {
    this.unhooked.add(name);
  }

  patch(name: string, patch: (value: unknown) => unknown): () => void {
    this.#patches.set(name, patch);
    for (const entry of this.#loaded.get(name) ?? []) apply(entry, patch);
    return () => {
      this.#patches.delete(name);
      for (const { value, use } of this.#loaded.get(name) ?? []) use?.(value as Callable);
    };
  }
}

/** Puts a function of ours in the place of the framework's for good. It calls what was last given to it, at first the framework's own. */
function trampoline(original: Callable, replace: (value: unknown) => void): (value: Callable) => void {
  let current = original;
  const stand: Callable = function (...args) {
    return current.apply(this, args);
  };
  Object.defineProperty(stand, 'name', { value: original.name });
  Object.defineProperty(stand, 'length', { value: original.length });
  replace(stand);
  return (value) => {
    current = value;
  };
}

function apply({ value, use }: Loaded, patch: (value: unknown) => unknown): void {
  const made = patch(value);
  if (use !== undefined && typeof made === 'function') use(made as Callable);
}

/** The slot of this thread. */
export function frameworks(): FrameworkSlot {
  return (slots().frameworks ??= new Frameworks());
}

/** Connects an adapter once per thread, also when its module is evaluated again by a hot reload. Returns the function that disconnects it. */
export function connectOnce(name: string, connect: () => () => void): () => void {
  const { connected } = frameworks();
  const known = connected.get(name);
  if (known !== undefined) return known;
  const end = connect();
  const disconnect = (): void => {
    if (connected.get(name) !== disconnect) return;
    connected.delete(name);
    end();
  };
  connected.set(name, disconnect);
  return disconnect;
}
