/** A function of a list of listeners, of which a leak adds one and the same for ever. */
export interface ListenerFunction {
  readonly name: string;
  /** The file of the package that it comes from, where that is known. */
  readonly file?: string;
}

/** True for the listeners of an EventTarget, which Node.js keeps in a chain whose first link has their number. */
export function isListenerList(value: object): value is { readonly size: number; readonly next: unknown } {
  const size = Reflect.getOwnPropertyDescriptor(value, 'size')?.value as unknown;
  return typeof size === 'number' && Reflect.getOwnPropertyDescriptor(value, 'next') !== undefined;
}

/** The function of the first link of such a chain. Node.js adds new links at the end, and all of a leak are of one function. */
export function firstListener({ next }: { readonly next: unknown }): unknown {
  return typeof next === 'object' && next !== null
    ? Reflect.getOwnPropertyDescriptor(next, 'listener')?.value
    : undefined;
}
