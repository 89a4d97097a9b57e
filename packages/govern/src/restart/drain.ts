import { channel } from 'node:diagnostics_channel';
import { warnOnce } from '@plimsoll/core/internal/errors';
import type { Keeper } from '@plimsoll/core/keeper';
import type { Clock } from '@plimsoll/core/internal/sense/clock';
import type { DrainHook, DrainOutcome } from '@plimsoll/core/internal/gate/drain-hooks';

const drainChannel = channel('plimsoll:drain');
const pollMs = 50;

/** A keeper that can drain: it parks its content and gives its leases time until the deadline. */
interface DrainableKeeper extends Keeper {
  drain(deadlineMs: number): Promise<{ readonly revoked?: readonly unknown[] }>;
  stats(): { readonly entries?: number; readonly doomedEntries?: number; readonly parked?: number };
}

/** Inputs of a drain. The host passes those of the process, a test its own. */
export interface DrainParts {
  readonly clock: Clock;
  readonly hooks: readonly DrainHook[];
  readonly keepers: readonly Keeper[];
  /** Number of scopes that are at work now. */
  readonly inFlight: () => number;
  /** Number of open session scopes. */
  readonly openSessions: () => number;
}

/** The outcome of the sessions. */
export interface DrainResult {
  readonly parked: number;
  readonly lost: number;
  /** Sessions that were cut off in the middle of a turn. They also count as parked or lost. */
  readonly interrupted: number;
  /** Hooks that threw, rejected or were not done by the deadline. */
  readonly failedHooks: number;
}

/**
 * Ends the work of a process in order: hooks and runs have time until the deadline, then every keeper parks its content. It never rejects
 * and never takes longer than the two times, even when something hangs.
 */
export async function runDrain(
  parts: DrainParts,
  order: { readonly reason: string; readonly drainMs: number; readonly parkMs: number },
): Promise<DrainResult> {
  const { clock } = parts;
  const caches = parts.keepers.filter(isDrainable);
  const parkedBefore = sum(caches, (cache) => cache.stats().parked);
  const deadlineAt = clock.now() + order.drainMs;
  const over = new AbortController();
  drainChannel.publish({ reason: order.reason, deadlineAt });

  const info = { reason: order.reason, deadlineAt, signal: over.signal };
  let failedHooks = 0;
  let hookParked = 0;
  let hookLost = 0;
  const asked = parts.hooks.map((hook) =>
    guard(hook, info).then((outcome) => {
      if (outcome === failed) failedHooks++;
      else {
        hookParked += outcome?.parked ?? 0;
        hookLost += outcome?.lost ?? 0;
      }
      return true;
    }),
  );
  const isDone = within(clock, order.drainMs, Promise.all([...asked, workEnds(parts, over.signal)]));
  if (!(await isDone)) {
    const ended = await Promise.all(asked.map((hook) => Promise.race([hook, Promise.resolve(false)])));
    failedHooks += ended.filter((each) => !each).length;
  }
  over.abort(new DOMException('The time of the drain is over.', 'TimeoutError'));

  const held = sum(caches, (cache) => (cache.stats().entries ?? 0) + (cache.stats().doomedEntries ?? 0));
  const parkedByHooks = sum(caches, (cache) => cache.stats().parked) - parkedBefore;
  // Session scopes that no keeper and no hook handled end with the process.
  const unkept = Math.max(0, count(parts.openSessions) - held - hookParked - hookLost);
  let interrupted = 0;
  const parking = caches.map(async (cache) => {
    // Leases get no more time, because they had it before. Leased sessions are parked too.
    interrupted += (await cache.drain(1)).revoked?.length ?? 0;
  });
  await within(clock, order.parkMs, Promise.allSettled(parking));
  const parkedHere = sum(caches, (cache) => cache.stats().parked) - parkedBefore - parkedByHooks;
  return {
    parked: parkedHere + parkedByHooks + hookParked,
    lost: Math.max(0, held - parkedHere) + hookLost + unkept,
    interrupted,
    failedHooks,
  };
}

const failed = Symbol('failed');

async function guard(
  hook: DrainHook,
  info: Parameters<DrainHook>[0],
): Promise<DrainOutcome | void | typeof failed> {
  try {
    return await hook(info);
  } catch (error) {
    warnOnce('PLM_RESTART_HOOK', { reason: String(error) });
    return failed;
  }
}

/** Resolves when no work is left, or at the end of the drain. */
async function workEnds({ clock, inFlight }: DrainParts, over: AbortSignal): Promise<void> {
  while (!over.aborted && count(inFlight) > 0) {
    const { promise, resolve } = Promise.withResolvers<void>();
    clock.after(pollMs, resolve);
    await promise;
  }
}

/** True when the work is over in time. */
async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const cancel = clock.after(ms, () => resolve(false));
  const isDone = await Promise.race([work.then(() => true), promise]);
  cancel();
  return isDone;
}

function isDrainable(keeper: Keeper): keeper is DrainableKeeper {
  return typeof (keeper as Partial<DrainableKeeper>).drain === 'function';
}

function sum(caches: readonly DrainableKeeper[], of: (cache: DrainableKeeper) => number | undefined): number {
  let total = 0;
  for (const cache of caches) total += count(() => of(cache) ?? 0);
  return total;
}

/** The number from a hook of the host; 0 when the hook throws. */
function count(of: () => number): number {
  try {
    return of();
  } catch {
    return 0;
  }
}
