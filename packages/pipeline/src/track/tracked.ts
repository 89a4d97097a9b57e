import { track } from './track.ts';
import type { TrackOptions } from './track.ts';
import type { StageMemory } from './stage-memory.ts';

export interface TrackedOptions extends Omit<TrackOptions, 'root'> {
  /** Picks the measured object from the arguments; default the first argument when it is an object. */
  readonly root?: (...args: never[]) => object | undefined;
  /** Gets the figures of every call that returned. */
  readonly onMemory?: (memory: StageMemory) => void;
}

type AnyFunction<This, Args extends unknown[], T> = (this: This, ...args: Args) => T | Promise<T>;
type TrackedFunction<This, Args extends unknown[], T> = (this: This, ...args: Args) => Promise<T>;
type Decorator = <This, Args extends unknown[], T>(
  method: AnyFunction<This, Args, T>,
  context: ClassMethodDecoratorContext,
) => TrackedFunction<This, Args, T>;

/**
 * Tracks every call of a function: `tracked('rag', stage)` wraps any async function, `@tracked` and `@tracked({ budget: '20MiB' })` a
 * method. The results of calls do not change. Figures go to `MemoryTracker`, `onMemory` and `plimsoll:stage`.
 */
export function tracked<This, Args extends unknown[], T>(
  stage: string,
  work: AnyFunction<This, Args, T>,
  options?: TrackedOptions,
): TrackedFunction<This, Args, T>;
export function tracked<This, Args extends unknown[], T>(
  method: AnyFunction<This, Args, T>,
  context: ClassMethodDecoratorContext,
): TrackedFunction<This, Args, T>;
export function tracked(options: TrackedOptions): Decorator;
export function tracked(first: unknown, second?: unknown, third?: TrackedOptions): unknown {
  if (typeof first === 'string')
    return wrap(first, second as AnyFunction<unknown, unknown[], unknown>, third);
  if (typeof first === 'function')
    return wrap(
      nameOf(second as ClassMethodDecoratorContext),
      first as AnyFunction<unknown, unknown[], unknown>,
    );
  const decorate: Decorator = (method, context) => wrap(nameOf(context), method, first as TrackedOptions);
  return decorate;
}

function wrap<This, Args extends unknown[], T>(
  stage: string,
  work: AnyFunction<This, Args, T>,
  { root: rootOf, onMemory, ...options }: TrackedOptions = {},
): TrackedFunction<This, Args, T> {
  return async function (...args) {
    const root = rootOf === undefined ? firstObject(args) : rootOf(...(args as unknown as never[]));
    const settings = root === undefined ? options : { ...options, root };
    const { value, memory } = await track<T>(stage, () => work.apply(this, args), settings);
    onMemory?.(memory);
    return value;
  };
}

function firstObject([first]: readonly unknown[]): object | undefined {
  return typeof first === 'object' && first !== null ? first : undefined;
}

function nameOf({ name }: ClassMethodDecoratorContext): string {
  return typeof name === 'string' ? name : (name.description ?? 'method');
}
