type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Replaces a method by one that calls it and then tells of the call; returns what puts the method back.
 *
 * The program sees the same name, length, properties and result. What somebody else put in its place since stays, and calls through to a
 * tap that is silent.
 */
export function tapMethod<K extends string>(
  holder: { [key in K]: unknown },
  name: K,
  onCall: (self: unknown, args: readonly unknown[], result: unknown) => void,
): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, name);
  const original = descriptor?.value as Method | undefined;
  if (descriptor === undefined || typeof original !== 'function' || descriptor.configurable === false)
    return () => undefined;
  let isOn = true;
  const tapped: Method = function (...args) {
    const result = Reflect.apply(original, this, args) as unknown;
    if (isOn) {
      try {
        onCall(this, args, result);
      } catch {
        // Nothing that is only watched may fail because of it.
      }
    }
    return result;
  };
  // util.promisify.custom of setTimeout among them.
  for (const key of Reflect.ownKeys(original)) {
    const own = Object.getOwnPropertyDescriptor(original, key);
    if (own !== undefined && key !== 'prototype') Object.defineProperty(tapped, key, own);
  }
  Object.defineProperty(holder, name, { ...descriptor, value: tapped });
  return () => {
    isOn = false;
    if (Object.getOwnPropertyDescriptor(holder, name)?.value === tapped)
      Object.defineProperty(holder, name, descriptor);
  };
}
