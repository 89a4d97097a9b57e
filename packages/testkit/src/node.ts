/** Registers the assertions with node:test: `t.assert.doesNotLeak(work)`. */
import { after, assert, before } from 'node:test';
import { doesNotLeak } from './does-not-leak.ts';
import type { Work } from './engine/round-trip.ts';
import type { GrowthOptions } from './options.ts';
import { LeakGuard, type GuardOptions } from './guard/leak-guard.ts';
import { staysUnder, type PeakOptions } from './peak/peak.ts';
import { releases, type ReleaseOptions } from './release/release.ts';
import { isCollected, type WatchOptions } from './survivors/watch.ts';

declare module 'node:test' {
  interface TestContextAssert {
    readonly doesNotLeak: typeof doesNotLeak;
    readonly isCollected: typeof isCollected;
    readonly releases: typeof releases;
    readonly staysUnder: typeof staysUnder;
  }
}

/** node:test awaits the result of an assertion, which its types do not declare. */
type Register = (name: string, assertion: (...args: never[]) => unknown) => void;

const register = assert.register as Register;
register('doesNotLeak', (work: Work, options?: GrowthOptions) => doesNotLeak(work, options));
register('isCollected', (work: () => unknown, options?: WatchOptions) => isCollected(work, options));
register('releases', (work: Work, options?: ReleaseOptions) => releases(work, options));
register('staysUnder', (work: () => unknown, limit: number | string, options?: PeakOptions) =>
  staysUnder(work, limit, options),
);

/** Fails its suite or file when scopes, listeners, timers or handles of its tests are left at the end. */
export function leakGuard(options?: GuardOptions): void {
  let guard: LeakGuard | undefined;
  before(() => {
    guard = new LeakGuard(options);
  });
  after(() => guard?.end());
}

export { doesNotLeak, isCollected, releases, staysUnder };
export { underLimit } from './peak/under-limit.ts';
export { watch } from './survivors/watch.ts';
