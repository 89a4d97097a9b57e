import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import * as timers from 'node:timers';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectUntil } from '../../../core/src/scope/collect.fixture.ts';
import { open } from '@plimsoll/core';
import type { Claim } from '../findings/finding-book.ts';
import { Audit } from './audit.ts';

const busy = { open: 3, opened: 100 };
const noScopes = { open: 0, opened: 0 };
let audit: Audit;
let epoch: number;

beforeEach(() => {
  epoch = 0;
  audit = new Audit({ isOwn: (file) => file.includes('own-code') });
  audit.start();
});

afterEach(() => audit.stop());

/** Runs work in scopes that close, a look and a major GC after each; what the audit says in the end. */
async function inScopes(times: number, work: () => unknown, scopes = busy): Promise<readonly Claim[]> {
  for (let i = 0; i < times; i++) {
    const scope = open('run', `r${i}`);
    await scope.run(async () => {
      await work();
    });
    await scope.close();
    audit.look(++epoch, scopes);
  }
  for (let i = 0; i < 3; i++) audit.look(++epoch, scopes);
  return audit.claims(scopes);
}

const short = (claims: readonly Claim[]): unknown =>
  claims.map(({ kind, severity, subject, times, site }) => ({
    kind,
    severity,
    subject,
    times,
    site: site?.replace(/\(.*\/(audit\.test\.ts):\d+:\d+\)/, '($1)'),
  }));

function leaveListener(signal: AbortSignal): void {
  signal.addEventListener('abort', () => undefined);
}

describe('listeners', () => {
  it('names the place that leaves one on a long-lived signal in every run', async () => {
    const { signal } = new AbortController();
    const claims = await inScopes(8, () => leaveListener(signal));
    expect(short(claims)).toEqual([
      {
        kind: 'listener',
        severity: 'medium',
        subject: '"abort" on AbortSignal',
        times: 8,
        site: 'leaveListener (audit.test.ts)',
      },
    ]);
    expect(claims[0]?.scope).toBe('process/run:r0');
    expect(claims[0]?.fix).toMatchInlineSnapshot(
      `"8 of 8 outlived the run that made them: remove the listener when the run ends, or use scope.signal, which follows a long-lived signal and removes its listener when its scope closes."`,
    );
  });

  it('says nothing of listeners that go with their scope, however they go', async () => {
    const emitter = new EventEmitter();
    emitter.setMaxListeners(0);
    const { signal } = new AbortController();
    const claims = await inScopes(30, async () => {
      const handler = (): void => undefined;
      emitter.on('a', handler);
      emitter.prependListener('b', handler);
      emitter.off('a', handler);
      emitter.removeAllListeners('b');
      emitter.once('c', handler);
      emitter.emit('c');
      const waiting = once(emitter, 'd');
      emitter.emit('d');
      await waiting;
      const own = new AbortController();
      signal.addEventListener('abort', handler, { signal: own.signal });
      own.abort();
    });
    expect(claims).toEqual([]);
    expect(audit.tally.followed).toBeLessThan(5);
  });

  it('finds once listeners that never fired and listeners of events.once', async () => {
    const bus = new EventEmitter();
    bus.setMaxListeners(0);
    const claims = await inScopes(8, () => {
      bus.once('answer', () => undefined);
      void once(bus, 'ready').catch(() => undefined);
    });
    const subjects = claims.map(({ subject }) => subject);
    expect(subjects).toContain('"answer" on EventEmitter');
    expect(subjects).toContain('"ready" on EventEmitter');
  });

  it('finds one outside of every scope when there are more than open scopes, not before', async () => {
    const { signal } = new AbortController();
    for (let i = 0; i < 40; i++) {
      leaveListener(signal);
      audit.look(++epoch, { open: 30, opened: 100 });
    }
    expect(audit.claims({ open: 30, opened: 100 })).toEqual([]);
    expect(short(audit.claims(busy))).toMatchObject([{ severity: 'medium', times: 40 }]);
    expect(audit.claims(busy)[0]?.scope).toBe('process');
  });

  it('needs fewer looks for very many', () => {
    const { signal } = new AbortController();
    for (let look = 0; look < 2; look++) {
      for (let i = 0; i < 150; i++) leaveListener(signal);
      audit.look(++epoch, busy);
    }
    expect(audit.claims(busy)).toMatchObject([{ severity: 'medium', times: 300 }]);
  });

  it('only suspects them in a program without scopes', () => {
    const { signal } = new AbortController();
    for (let i = 0; i < 70; i++) {
      leaveListener(signal);
      audit.look(++epoch, noScopes);
    }
    expect(audit.claims(noScopes)).toMatchObject([{ severity: 'low', times: 70 }]);
  });

  it('does not follow our own', async () => {
    audit.stop();
    audit = new Audit({ isOwn: () => true });
    audit.start();
    const { signal } = new AbortController();
    expect(await inScopes(8, () => leaveListener(signal))).toEqual([]);
    expect(audit.tally.followed).toBe(0);
  });

  it('survives a target that throws when it is asked', async () => {
    class Hostile extends EventEmitter {
      override listeners(): never {
        throw new Error('no');
      }
    }
    const hostile = new Hostile();
    expect(await inScopes(6, () => hostile.on('x', () => undefined))).toEqual([]);
  });
});

describe('timers', () => {
  it('finds intervals that outlive their scope and keep coming', async () => {
    const left: NodeJS.Timeout[] = [];
    const claims = await inScopes(20, () => left.push(setInterval(() => undefined, 60_000)));
    expect(claims).toMatchObject([{ kind: 'timer', severity: 'medium', subject: 'setInterval', times: 20 }]);
    expect(claims[0]?.fix).toMatch(/^20 of 20 outlived the run .*: clear the interval when the run ends/);
    left.forEach((timer) => clearInterval(timer));
    audit.look(++epoch, busy);
    expect(audit.claims(busy)).toEqual([]);
  });

  it('pages nobody for long timeouts, and forgets short and cleared ones', async () => {
    const left: NodeJS.Timeout[] = [];
    const claims = await inScopes(20, () => {
      left.push(timers.setTimeout(() => undefined, 60_000).unref());
      setTimeout(() => undefined, 5).unref();
      clearTimeout(setTimeout(() => undefined, 60_000));
    });
    expect(claims).toMatchObject([{ severity: 'low', subject: 'setTimeout', times: 20 }]);
    expect(claims[0]?.fix).toContain('the timeout holds its run until it runs');
    left.forEach((timer) => timers.clearTimeout(timer));
  });
});

describe('handles', () => {
  it('finds sockets left open, by the place that opened them', async () => {
    const server = createServer().listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const sockets: Socket[] = [];
    const claims = await inScopes(20, async () => {
      const socket = connect(port);
      sockets.push(socket);
      await once(socket, 'connect');
    });
    expect(claims.filter(({ kind }) => kind === 'handle')).toMatchObject([
      { severity: 'medium', subject: 'TCP socket', times: 20 },
    ]);
    sockets.forEach((socket) => socket.destroy());
    server.close();
    await once(server, 'close');
  });

  it('finds an AsyncLocalStorage made in every run', async () => {
    const storages: AsyncLocalStorage<number>[] = [];
    const claims = await inScopes(20, () => {
      const storage = new AsyncLocalStorage<number>();
      storage.run(1, () => undefined);
      storages.push(storage);
    });
    expect(claims).toMatchObject([{ kind: 'handle', severity: 'medium', subject: 'AsyncLocalStorage' }]);
    expect(storages).toHaveLength(20);
  });
});

describe('the taps', () => {
  it('change nothing that a program can see, and go away again', () => {
    audit.stop();
    const before = [setTimeout, setInterval, timers.setTimeout, EventEmitter.prototype.on];
    audit.start();
    audit.start();
    expect(setTimeout).not.toBe(before[0]);
    expect(setTimeout.name).toBe('setTimeout');
    const custom = (timer: unknown): unknown => (timer as Record<symbol, unknown>)[promisify.custom];
    expect(custom(setTimeout)).toBe(custom(before[0]));
    expect(EventEmitter.prototype.on.length).toBe(2);
    const emitter = new EventEmitter();
    expect(emitter.on('x', () => undefined)).toBe(emitter);
    expect(() => emitter.on('x', 'nothing' as never)).toThrow(TypeError);
    audit.stop();
    expect([setTimeout, setInterval, timers.setTimeout, EventEmitter.prototype.on]).toEqual(before);
  });

  it('leave alone what somebody put over them', () => {
    const ours = EventEmitter.prototype.on;
    function theirs(this: EventEmitter, ...args: Parameters<EventEmitter['on']>): EventEmitter {
      return ours.apply(this, args);
    }
    EventEmitter.prototype.on = theirs as EventEmitter['on'];
    audit.stop();
    expect(EventEmitter.prototype.on).toBe(theirs);
    expect(new EventEmitter().on('x', () => undefined).listenerCount('x')).toBe(1);
    EventEmitter.prototype.on = EventEmitter.prototype.addListener;
  });

  it('keep nothing alive', async () => {
    let gone = 0;
    const registry = new FinalizationRegistry<string>(() => gone++);
    (function make() {
      for (let i = 0; i < 50; i++) {
        const emitter = new EventEmitter();
        emitter.on('x', () => emitter);
        registry.register(emitter, '');
      }
    })();
    audit.look(++epoch, busy);
    await collectUntil(() => gone === 50);
    expect(gone).toBe(50);
    audit.look(++epoch, busy);
    expect(audit.tally.followed).toBeLessThan(5);
  });
});

it('follows a part where very many are attached, and counts them all', async () => {
  audit.stop();
  let now = 0;
  audit = new Audit({ perSecond: 100, isOwn: () => false, now: () => now });
  audit.start();
  const bus = new EventEmitter();
  bus.setMaxListeners(0);
  for (let second = 0; second < 6; second++) {
    now += 1000;
    const scope = open('burst', `${second}`);
    scope.run(() => {
      for (let i = 0; i < 1000; i++) bus.on('x', () => i);
    });
    await scope.close();
    audit.look(++epoch, busy);
  }
  for (let i = 0; i < 3; i++) audit.look(++epoch, busy);
  const [claim] = audit.claims(busy);
  expect(claim?.times).toBeGreaterThan(4000);
  expect(claim?.times).toBeLessThan(6500);
  expect(audit.tally.followed).toBeLessThan(900);
  expect(audit.tally.skipped).toBeGreaterThan(0);
});

it('takes no more sites than it has room for, and gives the room of empty ones away', async () => {
  const bus = new EventEmitter();
  bus.setMaxListeners(0);
  for (let i = 0; i < 700; i++) bus.on(`used once ${i}`, () => undefined);
  bus.removeAllListeners();
  audit.look(++epoch, busy);
  await new Promise((next) => setTimeout(next, 1100));
  for (let i = 0; i < 900; i++) bus.on(`kept ${i}`, () => undefined);
  audit.look(++epoch, busy);
  expect(audit.tally.followed).toBeGreaterThan(800);
  await new Promise((next) => setTimeout(next, 1100));
  for (let i = 0; i < 300; i++) bus.on(`too many ${i}`, () => undefined);
  expect(audit.tally.followed).toBeLessThan(1100);
  expect(audit.tally.skipped).toBeGreaterThan(0);
});

it('lets go of a handle when the runtime does', async () => {
  const server = createServer().listen(0);
  await once(server, 'listening');
  audit.look(++epoch, busy);
  const { followed } = audit.tally;
  server.close();
  await once(server, 'close');
  // Its end is told some turns of the loop later.
  for (let i = 0; i < 2000 && audit.tally.followed >= followed; i++) {
    await new Promise((next) => setTimeout(next, 10));
    audit.look(++epoch, busy);
  }
  expect(audit.tally.followed).toBeLessThan(followed);
});

it('tells a claim once, again when it has grown by half', async () => {
  const { signal } = new AbortController();
  const told: number[] = [];
  for (let i = 0; i < 16; i++) {
    const scope = open('run', `r${i}`);
    scope.run(() => leaveListener(signal));
    await scope.close();
    for (const claim of audit.look(++epoch, busy)) told.push(claim.times ?? 0);
  }
  expect(told).toEqual([5, 8, 12]);
  audit[Symbol.dispose]();
  expect(audit.isOn).toBe(false);
});
