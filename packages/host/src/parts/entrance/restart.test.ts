import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isReady, onDrain } from '@plimsoll/core';
import { admission } from '@plimsoll/govern/internal/admission/admission-control';
import { requestRestart } from '@plimsoll/core/internal/gate/drain-hooks';
import { restartExitCode } from '@plimsoll/govern/internal/restart/restart-plan';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { SessionCache } from '@plimsoll/keep';
import { FileLot } from '@plimsoll/keep/session-cache';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HostRestart } from './restart.ts';
import { readRestartLog, restartFile, writeRestartLog } from '../../protocol/restart-file.ts';

const order = {
  drainMs: 1000,
  jitterMs: 0,
  atMost: { count: 3, perMs: 3_600_000 },
  reason: 'it holds 389.0 MiB of 400.0 MiB (97 %)',
  scope: 'process',
  level: 'emergency',
  minUptimeMs: 0,
} as const;

let dir: string;
let exits: number[];
let records: object[];
let clock: FakeClock;
let life: HostRestart;

function begin(
  inFlight: () => number = () => 0,
  endsInMs?: () => number,
  successor?: ConstructorParameters<typeof HostRestart>[0]['successor'],
  story: Pick<ConstructorParameters<typeof HostRestart>[0], 'incident' | 'takesOver'> = {},
): HostRestart {
  const parts = {
    dir,
    inFlight,
    openSessions: () => 0,
    exit: (code: number) => void exits.push(code),
    record: (body: object) => void records.push(body),
    clock,
    random: () => 0.5,
    ...(endsInMs !== undefined && { endsInMs }),
    successor,
    ...story,
  };
  life = new HostRestart(parts);
  return life;
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-restart-'));
  exits = [];
  records = [];
  clock = new FakeClock();
});

afterEach(() => {
  life[Symbol.dispose]();
  admission().ungovern();
  process.exitCode = undefined;
  rmSync(dir, { recursive: true });
});

test('a process without a story starts without one', () => {
  expect(begin().start()).toBeUndefined();
  expect(life.resume).toBeUndefined();
  expect(life.exitReason).toBeUndefined();
});

test('what is wrong goes over to the next life', async () => {
  const incident = {
    id: 'I-1',
    revision: 2,
    level: 'critical',
    openedAt: 1,
    refused: 0,
    freedBytes: 0,
    peakUsedBytes: 5,
    restarts: 1,
  } as const;
  const before = begin(() => 0, undefined, undefined, { incident: () => incident });
  before.start();
  expect(before.incidentBefore).toBeUndefined();
  const next = begin(() => 0, undefined, undefined, { takesOver: process.pid });
  expect(next.incidentBefore).toBeNull();
  before.restart(order);
  await vi.waitFor(() => expect(exits).toEqual([75]));
  expect(next.incidentBefore).toEqual(incident);
  before[Symbol.dispose]();
});

/** A next life that comes up, or says why not; the test sees what it was asked for. */
function nextLife(why: string | undefined): { steps: string[]; part: Parameters<typeof begin>[2] } {
  const steps: string[] = [];
  const part = {
    isPossible: true,
    ready: async (mostBytes: number | null) => {
      steps.push(`ready ${mostBytes}`);
      return why;
    },
    handOver: async (all: readonly { shed(request: { bytes: number }): Promise<number> }[]) => {
      steps.push('hand over');
      for (const keeper of all) await keeper.shed({ bytes: Number.MAX_SAFE_INTEGER });
    },
    connectionsEnded: async () => {
      steps.push(`ready is ${isReady()}`);
      return true;
    },
    stop: () => void steps.push('stop'),
  };
  return { steps, part };
}

test('the next life takes over before this one drains, and nothing is refused', async () => {
  const { steps, part } = nextLife(undefined);
  begin(() => 0, undefined, part).start();
  const cache = new SessionCache<{ turns: number }>({
    maxEntries: 10,
    park: new FileLot({ dir: join(dir, 'parked') }),
  });
  for (const id of ['a', 'b', 'c']) cache.set(id, { turns: 3 });
  expect(life.restart(order)).toMatchObject({ state: 'draining' });
  // It serves until the next life does.
  expect([isReady(), life.restart(order).state]).toEqual([true, 'draining']);
  expect(life.stage).toBe('the next life is being started');
  await vi.waitFor(() => expect(exits).toEqual([75]));
  expect(steps).toEqual(['ready null', 'hand over', 'ready is true']);
  expect(records).toMatchObject([{ event: 'handover', text: life.stage }, { event: 'drain' }]);
  expect(life.stage).toBe('the next life listens, and this one finishes its running work');
  expect(readRestartLog(dir).entries).toMatchObject([{ phase: 'parked', parked: 3, lost: 0 }]);
  // It was allowed as any restart, so it counts as any.
  expect(readRestartLog(dir).entries[0]).not.toHaveProperty('isHanded');
});

test.each([
  [{ ...order }, ['ready null'], 'alone', ': there is no room'],
  [{ ...order, overlapBytes: 0 }, [], 'drain', ''],
])('without a next life beside it this one drains alone', async (request, asked, event, why) => {
  const { steps, part } = nextLife('there is no room');
  begin(() => 0, undefined, part).start();
  life.restart(request);
  await vi.waitFor(() => expect(exits).toEqual([75]));
  expect(steps).toEqual(asked);
  expect(records[0]).toMatchObject({ event });
  expect(life.stage).toBe(`the next life starts when this one has ended${why}`);
  expect(isReady()).toBe(false);
});

test('a young process is restarted only where the next life takes over first', async () => {
  const { steps, part } = nextLife(undefined);
  begin(() => 0, undefined, part).start();
  const young = { ...order, minUptimeMs: 60_000 };
  expect([life.mayHandOver({}), life.restart(young).state]).toEqual([false, 'refused']);
  clock.advance(15_000);
  expect([life.mayHandOver({}), life.isUnderWay]).toEqual([true, false]);
  life.restart(young);
  expect([life.mayHandOver({}), life.isUnderWay]).toEqual([false, true]);
  await vi.waitFor(() => expect(exits).toEqual([75]));
  expect(steps).toContain('hand over');
  expect(readRestartLog(dir).entries).toMatchObject([{ phase: 'parked', isHanded: true }]);
});

test('a young process whose next life does not come goes on, and does not ask again for a while', async () => {
  const { part } = nextLife('there is no room');
  begin(() => 0, undefined, part).start();
  const young = { ...order, minUptimeMs: 60_000 };
  clock.advance(15_000);
  expect(life.restart(young).state).toBe('draining');
  await vi.waitFor(() => expect(life.isUnderWay).toBe(false));
  expect(records).toMatchObject([{ event: 'alone' }, { event: 'withdrawn' }]);
  expect([exits, isReady(), life.stage]).toEqual([[], true, undefined]);
  expect([life.mayHandOver({}), life.restart(young).state]).toEqual([false, 'refused']);
  clock.advance(11 * 60_000);
  expect(life.mayHandOver({})).toBe(true);
});

test('a restart drains, parks every session, remembers it and ends with its own code', async () => {
  begin().start();
  const lot = new FileLot({ dir: join(dir, 'parked') });
  const cache = new SessionCache<{ turns: number }>({ maxEntries: 10, park: lot });
  for (const id of ['a', 'b', 'c']) cache.set(id, { turns: 3 });
  const hook = vi.fn(() => undefined);
  const remove = onDrain(hook);
  expect(life.restart(order)).toMatchObject({ state: 'draining' });
  expect(isReady()).toBe(false);
  expect(process.exitCode).toBe(restartExitCode);
  expect(readRestartLog(dir).entries).toMatchObject([{ phase: 'begun', sessions: 3 }]);
  await vi.waitFor(() => expect(exits).toEqual([75]));
  expect(hook).toHaveBeenCalledTimes(1);
  expect(life.exitReason).toBe('restart: it holds 389.0 MiB of 400.0 MiB (97 %); 3 sessions parked, 0 lost');
  expect(records).toMatchObject([{ event: 'drain' }]);
  expect(readdirSync(join(dir, 'parked'))).toHaveLength(3);
  remove();

  const next = new HostRestart({
    dir,
    inFlight: () => 0,
    openSessions: () => 0,
    exit: () => undefined,
    record: () => undefined,
  });
  expect(next.start()?.text).toMatch(/^last exit: restart \(it holds .* ago; 3 sessions parked, 0 lost$/);
  expect(next.resume).toMatchObject({ parked: 3, lost: 0, phase: 'parked' });
  next[Symbol.dispose]();
  const again = new SessionCache<{ turns: number }>({
    maxEntries: 10,
    park: lot,
    open: () => ({ turns: 0 }),
  });
  const lease = await again.acquire('b');
  expect(lease.value).toEqual({ turns: 3 });
  lease.release();
  await again.drain(1);
});

test('a process that starts while another drains is no next life', () => {
  const entry = { at: 1, reason: 'r', exitBy: 2, sessions: 0, parked: 0, lost: 0, interrupted: 0 } as const;
  writeRestartLog(dir, { v: 1, entries: [{ ...entry, pid: process.ppid, phase: 'begun' }] });
  expect(begin().start()).toBeUndefined();
  // In a container the next life has the same process id.
  writeRestartLog(dir, { v: 1, entries: [{ ...entry, pid: process.pid, phase: 'begun' }] });
  expect(begin().start()?.phase).toBe('begun');
  writeRestartLog(dir, { v: 1, entries: [{ ...entry, pid: 2 ** 22 + 1, phase: 'begun' }] });
  expect(begin().start()?.phase).toBe('begun');
});

test('asked twice, it drains once', async () => {
  begin().start();
  life.restart(order);
  expect(requestRestart('again')).toEqual({ state: 'draining' });
  await vi.waitFor(() => expect(exits).toEqual([75]));
  expect(life.restart(order)).toMatchObject({ state: 'refused' });
});

test('a process that is about to die ends in order beyond the bound, and says so', async () => {
  begin(undefined, () => 10_000).start();
  const used = { ...order, atMost: { count: 0, perMs: 3_600_000 } };
  const despite = '0 restarts lately and the most is 0 per 1 h: a person has to look';
  expect(life.restart(used)).toMatchObject({ state: 'draining', despite });
  await vi.waitFor(() => expect(exits).toEqual([75]));
  expect(life.exitReason).toContain(`it was about to die, so it ended in order although ${despite}`);
});

test('no more than the bound, over all lives', async () => {
  for (let i = 0; i < 3; i++) {
    begin().start();
    expect(life.restart(order).state).toBe('draining');
    await vi.waitFor(() => expect(exits).toHaveLength(i + 1));
    admission().ungovern();
    clock.advance(1000);
  }
  begin().start();
  expect(life.restart(order)).toEqual({
    state: 'refused',
    why: '3 restarts lately and the most is 3 per 1 h: a person has to look',
  });
  clock.advance(3_600_000);
  expect(life.restart(order).state).toBe('draining');
  await vi.waitFor(() => expect(exits).toHaveLength(4));
});

test('a restart that waits its turn is taken back when the pressure goes away', async () => {
  begin().start();
  life.restart({ ...order, jitterMs: 10_000 });
  expect(life.restart(order)).toEqual({ state: 'draining' });
  expect(isReady()).toBe(true);
  expect(life.stage).toMatch(/^restart at \d\d:\d\d:\d\d UTC$/);
  life.note('critical');
  life.note('normal');
  life.note('normal');
  clock.advance(20_000);
  expect([isReady(), life.stage]).toEqual([true, undefined]);
  expect(records).toEqual([{ event: 'withdrawn', text: 'the level is normal again before the drain began' }]);
  expect(readRestartLog(dir).entries).toEqual([]);
  life.restart({ ...order, jitterMs: 10_000 });
  clock.advance(5000);
  expect(isReady()).toBe(false);
  await vi.waitFor(() => expect(exits).toEqual([75]));
});

test('whatever hangs, the process ends at its time, and the next life knows that it was cut short', async () => {
  begin(() => 1).start();
  const remove = onDrain(() => new Promise(() => {}));
  life.restart(order);
  const cache = new SessionCache<number>({
    maxEntries: 10,
    dispose: () => new Promise(() => {}),
    disposeTimeout: 1,
    disposeRetries: 0,
  });
  cache.set('a', 1);
  for (let i = 0; i < 200 && exits.length === 0; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(50);
  }
  expect(exits).toEqual([75]);
  remove();
  await cache.drain(1);
});

test('the progress of parking is on disk while it goes on', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let works = 1;
  begin(() => works).start();
  const lot = new FileLot({ dir: join(dir, 'parked') });
  const cache = new SessionCache<object>({ maxEntries: 10, park: lot, meter: () => ({ bytes: 100 }) });
  cache.set('a', {});
  cache.set('b', {});
  life.restart(order);
  await cache.shed({ bytes: 1 });
  vi.advanceTimersByTime(1000);
  expect(readRestartLog(dir).entries).toMatchObject([{ phase: 'begun', sessions: 2, parked: 1 }]);
  vi.useRealTimers();
  works = 0;
  clock.advance(50);
  await vi.waitFor(() => expect(exits).toEqual([75]));
  expect(readRestartLog(dir).entries).toMatchObject([{ phase: 'parked', parked: 2, lost: 0 }]);
});

test('a folder that cannot be written or read keeps nobody from a restart', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  rmSync(dir, { recursive: true });
  writeFileSync(dir, 'a file');
  begin().start();
  expect(life.restart(order).state).toBe('draining');
  await vi.waitFor(() => expect(exits).toEqual([75]));
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('could not be remembered'), expect.anything());
  warn.mockRestore();
});

test('the log is moved into place whole', () => {
  begin();
  writeRestartLog(dir, { v: 1, entries: [] });
  expect(readdirSync(dir)).toEqual(['restarts.json']);
  writeFileSync(restartFile(dir), '{"v":1,"ent');
  expect(readRestartLog(dir).entries).toEqual([]);
});
