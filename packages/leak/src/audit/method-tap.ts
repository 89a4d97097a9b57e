type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Replaces a method with one that calls it and then reports the call. Returns the function that restores it.
 *
 * The program sees the same name, length, properties and result. If other code has replaced the method since then, that replacement stays
 * and calls a tap that does nothing any more.
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
        // A fault of the tap must not affect the watched call.
      }
    }
    return result;
  };
  // These include util.promisify.custom of setTimeout.
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
