import type { TraceStep } from '@plimsoll/heap';

/** Whether a file is the kit's own; its tests are users of it. */
export function isKitFile(file: string): boolean {
  return /[\\/]testkit[\\/](?:src|dist)[\\/](?!.*\.(?:test|fixture)\.)|[\\/]testkit[\\/]jest\.cjs/.test(file);
}

/** Places of the kit as a trace shortens them to their last parts. */
const place =
  /(?:^|\/)(?:engine\/(?:round-trip|turnstile)|growth\/growth-(?:proof|check)|survivors\/watch|release\/release|peak\/peak|src\/does-not-leak|src\/matchers|dist\/does-not-leak|dist\/matchers)\.[jt]s:/;

/**
 * A path without the kit. What only the test itself holds is reached through the kit, which holds the function that it calls: such a path
 * begins at that function.
 */
export function withoutKit(trace: readonly TraceStep[]): readonly TraceStep[] {
  const last = trace.findLastIndex(({ at }) => at !== undefined && place.test(at));
  const start = trace.findIndex(({ name, type }, i) => i > last && type !== 'root' && name !== 'Promise');
  return last < 0 || start < 0 || trace.length - start < 2 ? trace : trace.slice(start);
}
