import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { Keeper } from '@plimsoll/core/keeper';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import type { DrainParts, DrainResult } from './drain.ts';
import { runDrain } from './drain.ts';
import { drainHooks, requestRestart, setRestart } from '@plimsoll/core/internal/gate/drain-hooks';
import { onDrain } from '@plimsoll/core';
import type { RestartRequest } from '@plimsoll/core/internal/gate/drain-hooks';

const order = { reason: 'memory', drainMs: 1000, parkMs: 500 };
const hang = (): Promise<never> => new Promise(() => {});

/** A cache as far as a drain sees it. */
class Cache implements Keeper {
  readonly name = 'sessions';
  readonly kind = 'session-cache';
  readonly bytes = 0;
  entries: number;
  parked = 0;
  revoked: number;
  readonly #parks: (entries: number) => Promise<number>;

  constructor(entries: number, parks: (entries: number) => Promise<number>, revoked = 0) {
    this.entries = entries;
    this.#parks = parks;
    this.revoked = revoked;
  }

  stats(): { entries: number; parked: number } {
    return { entries: this.entries, parked: this.parked };
  }

  async shed(): Promise<number> {
    return 0;
  }

  async drain(): Promise<{ revoked: readonly unknown[] }> {
    this.parked += await this.#parks(this.entries);
    this.entries = 0;
    return { revoked: Array.from({ length: this.revoked }) };
  }
}

function start(changes: Partial<DrainParts>): { clock: FakeClock; result: Promise<DrainResult> } {
  const clock = new FakeClock();
  const parts = { clock, hooks: [], keepers: [], inFlight: () => 0, openSessions: () => 0, ...changes };
  return { clock, result: runDrain(parts, order) };
}

/** Lets promises settle between steps of time. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 50) {
    await turn();
    clock.advance(Math.min(50, left));
  }
  await turn();
}

test('an idle process is drained at once, and listeners are told', async () => {
  const heard: unknown[] = [];
  const listen = (message: unknown): void => void heard.push(message);
  subscribe('plimsoll:drain', listen);
  const { result, clock } = start({});
  expect(await result).toEqual({ parked: 0, lost: 0, interrupted: 0, failedHooks: 0 });
  expect(clock.waiting).toBe(0);
  expect(heard).toEqual([{ reason: 'memory', deadlineAt: clock.now() + 1000 }]);
  unsubscribe('plimsoll:drain', listen);
});

test('work in flight gets until it is done, and keepers park afterwards', async () => {
  let works = 2;
  const cache = new Cache(12, async (entries) => entries - 2, 1);
  const other: Keeper = {
    name: 'window',
    kind: 'conversation-window',
    bytes: 0,
    stats: () => ({}),
    shed: async () => 0,
  };
  const { clock, result } = start({ inFlight: () => works, keepers: [cache, other], openSessions: () => 12 });
  await pass(clock, 300);
  expect(cache.parked).toBe(0);
  works = 0;
  await pass(clock, 100);
  expect(await result).toEqual({ parked: 10, lost: 2, interrupted: 1, failedHooks: 0 });
  expect(clock.now() - Date.UTC(2026, 0, 1)).toBeLessThan(500);
});

test('hooks run at the same time, are guarded, and may answer for sessions of their own', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const reasons: string[] = [];
  const { result } = start({
    hooks: [
      ({ reason }) => void reasons.push(reason),
      async () => ({ parked: 5, lost: 1 }),
      () => {
        throw new Error('boom');
      },
      () => Promise.reject(new Error('boom')),
    ],
    openSessions: () => 8,
  });
  expect(await result).toEqual({ parked: 5, lost: 3, interrupted: 0, failedHooks: 2 });
  expect(reasons).toEqual(['memory']);
  warn.mockRestore();
});

test('whatever hangs, the end comes at its time', async () => {
  let aborted: unknown;
  const { clock, result } = start({
    hooks: [
      ({ signal }) => {
        signal.addEventListener('abort', () => (aborted = signal.reason));
        return hang();
      },
      () => undefined,
    ],
    keepers: [new Cache(3, hang)],
    inFlight: () => 1,
  });
  await pass(clock, 1600);
  expect(await result).toEqual({ parked: 0, lost: 3, interrupted: 0, failedHooks: 1 });
  expect((aborted as Error).name).toBe('TimeoutError');
  // The last look at the work in flight was already under way.
  expect(clock.waiting).toBeLessThanOrEqual(1);
});

test('a cache that a hook drained itself is counted', async () => {
  const cache = new Cache(4, async (entries) => entries);
  const { result } = start({ hooks: [() => void cache.drain()], keepers: [cache], openSessions: () => 0 });
  expect(await result).toMatchObject({ parked: 4, lost: 0 });
});

test('sessions that nobody keeps are lost, and figures that cannot be told are none', async () => {
  const broken = new Cache(2, async (entries) => entries);
  broken.stats = () => {
    throw new Error('broken');
  };
  const { result } = start({ keepers: [broken], openSessions: () => 7 });
  expect(await result).toMatchObject({ parked: 0, lost: 7 });
});

afterEach(() => setRestart(undefined));

test('hooks are registered once, removed again, and bounded', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const hook = (): void => undefined;
  const remove = onDrain(hook);
  onDrain(hook);
  expect(drainHooks()).toEqual([hook]);
  remove();
  expect(drainHooks()).toEqual([]);
  const removals = Array.from({ length: 101 }, () => onDrain(() => undefined));
  expect(drainHooks()).toHaveLength(100);
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('more than 100 drain hooks'), expect.anything());
  for (const each of removals) each();
  expect(drainHooks()).toEqual([]);
  warn.mockRestore();
});

test('a program may ask for its own restart, within the bounds of every restart', () => {
  expect(requestRestart('by hand')).toEqual({ state: 'refused', why: 'this process is not governed' });
  const asked: RestartRequest[] = [];
  setRestart((request) => {
    asked.push(request);
    return { state: 'draining' };
  });
  expect(requestRestart('by hand')).toEqual({ state: 'draining' });
  requestRestart('again', { drainMs: 5, jitterMs: 6, minUptimeMs: 7 });
  expect(asked).toMatchObject([
    { reason: 'by hand', drainMs: 30_000, jitterMs: 0, atMost: { count: 3, perMs: 3_600_000 } },
    { reason: 'again', drainMs: 5, jitterMs: 6, minUptimeMs: 7 },
  ]);
});
