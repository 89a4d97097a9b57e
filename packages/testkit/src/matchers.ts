/** The matchers of all runners as plain functions; an entry per runner registers them. */
import { growthError, growthOf } from './does-not-leak.ts';
import type { Work } from './engine/round-trip.ts';
import { bytesOf, type GrowthOptions } from './options.ts';
import { staysUnder, type PeakOptions } from './peak/peak.ts';
import { releases, type ReleaseOptions } from './release/release.ts';
import { callerPlace, LeakError } from './report/leak-error.ts';
import { isCollected, Watch, type WatchOptions } from './survivors/watch.ts';

/** What a matcher of Vitest and Jest returns. */
interface Matched {
  readonly pass: boolean;
  readonly message: () => string;
}

/** `expect(work).not.toLeak()`: calls of the function keep no memory. */
export async function toLeak(work: Work, options: GrowthOptions = {}): Promise<Matched> {
  const where = callerPlace();
  const report = await growthOf(work, options);
  const { verdict, name, calls, per } = report;
  if (verdict === 'leak') return { pass: true, message: () => growthError(report, where).message };
  return { pass: false, message: () => `${name} does not leak: nothing grew with ${calls} ${per}s.` };
}

/** `expect(work).toBeCollected()`: the result of the function, or the objects of a watch, are gone after collections. */
export async function toBeCollected(
  received: (() => unknown) | Watch,
  options: WatchOptions = {},
): Promise<Matched> {
  return matched(
    () => (received instanceof Watch ? received.collected() : isCollected(received, options)),
    'it was collected.',
  );
}

/** `expect(work).toRelease()`: the result of the function is finished and holds almost nothing, although it is kept. */
export async function toRelease(work: Work, options: ReleaseOptions = {}): Promise<Matched> {
  return matched(() => releases(work, options), 'it released what it held.');
}

/** `expect(work).toStayUnder('24 MiB')`: live memory stays inside the budget while the function runs. */
export async function toStayUnder(
  work: () => unknown,
  limit: number | string,
  options: PeakOptions = {},
): Promise<Matched> {
  bytesOf(limit, 'the budget');
  return matched(() => staysUnder(work, limit, options), `it stayed under ${limit}.`);
}

async function matched(check: () => Promise<void>, otherwise: string): Promise<Matched> {
  try {
    await check();
    return { pass: true, message: () => otherwise };
  } catch (error) {
    if (!(error instanceof LeakError)) throw error;
    return { pass: false, message: () => error.message };
  }
}

/** The matchers as methods of `expect`, for declarations of runners. */
export interface LeakMatchers {
  /** Every call of the function keeps memory; use it as `.not.toLeak()`. */
  toLeak(options?: GrowthOptions): Promise<void>;
  /** The result of the function, or the objects of the watch, are gone after garbage collection. */
  toBeCollected(options?: WatchOptions): Promise<void>;
  /** The result of the function holds almost nothing, although it is still referenced. */
  toRelease(options?: ReleaseOptions): Promise<void>;
  /** The live memory of the function stays inside a budget while it runs. */
  toStayUnder(limit: number | string, options?: PeakOptions): Promise<void>;
}

export type { GuardOptions } from './guard/leak-guard.ts';

export const matchers = { toLeak, toBeCollected, toRelease, toStayUnder };
