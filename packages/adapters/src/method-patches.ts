import { frameworks } from './framework-slot.ts';

type Method = (this: never, ...args: never[]) => unknown;

/** Methods of a framework's classes that an adapter has replaced, so that they can be put back. */
export class MethodPatches {
  readonly #adapter: string;
  readonly #restore: (() => void)[] = [];

  constructor(adapter: string) {
    this.#adapter = adapter;
  }

  /** Replaces a method of a prototype, class or object. One that is missing is told once by the host. */
  replace<M extends Method>(target: unknown, method: string, make: (original: M) => M): void {
    const holder = target as Record<string, unknown> | undefined;
    const original = holder?.[method];
    if (holder === undefined || typeof original !== 'function') {
      frameworks().missed(`${this.#adapter}.${method}`);
      return;
    }
    const isOwn = Object.hasOwn(holder, method);
    const made = make(original as M);
    Object.defineProperty(holder, method, {
      value: made,
      writable: true,
      configurable: true,
      enumerable: Object.getOwnPropertyDescriptor(holder, method)?.enumerable ?? false,
    });
    this.#restore.push(() => {
      // Whoever wrapped ours in the meantime keeps it.
      if (holder[method] !== made) return;
      if (isOwn) holder[method] = original;
      else delete holder[method];
    });
  }

  /** Puts the methods of the framework back, the last one first. */
  restore(): void {
    for (const restore of this.#restore.splice(0).reverse()) restore();
  }
}

/** The prototype of a class of a framework. */
export function prototypeOf(given: unknown): object | undefined {
  return typeof given === 'function' ? (given as { prototype: object }).prototype : undefined;
}
