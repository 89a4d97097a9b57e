import type { TraceStep } from '@plimsoll/heap';

/** Whether a file belongs to the kit. Tests of the kit count as user code. */
export function isKitFile(file: string): boolean {
  return /[\\/]testkit[\\/](?:src|dist)[\\/](?!.*\.(?:test|fixture)\.)|[\\/]testkit[\\/]jest\.cjs/.test(file);
}

/** Places of the kit in the short form of a trace. */
const place =
  /(?:^|\/)(?:engine\/(?:round-trip|turnstile)|growth\/growth-(?:proof|check)|survivors\/watch|release\/release|peak\/peak|src\/does-not-leak|src\/matchers|dist\/does-not-leak|dist\/matchers)\.[jt]s:/;

/**
 * A path without the kit. Objects that only the test holds are reached through the kit, because the kit holds the function that it calls.
 * Such a path begins at that function.
 */
export function withoutKit(trace: readonly TraceStep[]): readonly TraceStep[] {
  const last = trace.findLastIndex(({ at }) => at !== undefined && place.test(at));
  const start = trace.findIndex(({ name, type }, i) => i > last && type !== 'root' && name !== 'Promise');
  return last < 0 || start < 0 || trace.length - start < 2 ? trace : trace.slice(start);
}
