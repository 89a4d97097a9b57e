/** Registers the matchers with Vitest: import it in a test file, or list it under `test.setupFiles`. */
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { LeakGuard, type GuardOptions } from './guard/leak-guard.ts';
import { matchers, type LeakMatchers } from './matchers.ts';

declare module 'vitest' {
  interface Matchers<
    R extends void | Promise<void> = void | Promise<void>,
    T = unknown,
  > extends LeakMatchers {}
}

/** Proving a leak takes snapshots, and Vitest's default timeout of five seconds is too short for that on a busy machine. */
const testTimeout = 180_000;

expect.extend(matchers);
vi.setConfig({ testTimeout });

/** Fails its suite or file when scopes, listeners, timers or handles of its tests are left at the end. */
export function leakGuard(options?: GuardOptions): void {
  let guard: LeakGuard | undefined;
  beforeAll(() => {
    guard = new LeakGuard(options);
  });
  afterAll(() => guard?.end());
}

export { underLimit } from './peak/under-limit.ts';
export { watch } from './survivors/watch.ts';
