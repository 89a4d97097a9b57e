import { channel } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { warningsOf } from './collect.fixture.ts';
import { currentScope, open, processScope, roster } from './index.ts';
import type { Scope } from './scope.ts';
import type { ScopeFault } from './fault-log.ts';

afterEach(async () => {
  await processScope().close();
});

const forever = new Promise<never>(() => {});

/** Faults published while the work runs, with the thrown values. */
async function faultsOf(work: () => unknown): Promise<(ScopeFault & { cause: unknown })[]> {
  const seen: (ScopeFault & { cause: unknown })[] = [];
  const listener = (fault: unknown): void => void seen.push(fault as ScopeFault & { cause: unknown });
  channel('plimsoll:scope.fault').subscribe(listener);
  await work();
  channel('plimsoll:scope.fault').unsubscribe(listener);
  return seen;
}

describe('closing', () => {
  test('returns what behaves as a promise, although the report is made for who asks', async () => {
    const scope = open('session', '42');
    const answer = scope.close('finished');
    expect(answer).toBeInstanceOf(Promise);
    expect(scope.close()).toBe(answer);
    const report = await answer;
    expect(report.reason).toBe('finished');
    expect(await answer).toBe(report);
    expect(await Promise.all([answer, Promise.resolve(answer)])).toEqual([report, report]);
    expect(await answer.then(({ kind }) => kind)).toBe('session');
    expect(await answer.catch(() => undefined)).toBe(report);
    let ended = false;
    expect(await answer.finally(() => (ended = true))).toBe(report);
    expect(ended).toBe(true);
    expect(await Promise.race([answer, forever])).toBe(report);
    expect(await Promise.any([answer, forever])).toBe(report);
    expect(await Promise.allSettled([answer])).toEqual([{ status: 'fulfilled', value: report }]);
    expect(await Promise.prototype.finally.call(answer, () => undefined)).toBe(report);
    expect(inspect(answer)).toBe('Promise {}');
  });

  test('is done at once when nothing needs time, and reports', async () => {
    const scope = open('session', '42');
    const report = scope.close('finished');
    expect(scope.state).toBe('closed');
    expect(await report).toEqual({
      path: 'process/session:42',
      kind: 'session',
      name: '42',
      reason: 'finished',
      openMs: expect.any(Number),
      leftBytes: 0,
      peakBytes: 0,
      chargedBytes: 0,
      disposed: 0,
      descendants: 0,
      faults: [],
    });
  });

  test('twice gives the same promise', async () => {
    const scope = open('session', '1');
    scope.own(() => sleep(2));
    const first = scope.close('first');
    expect(scope.state).toBe('closing');
    expect(scope.close('second')).toBe(first);
    const report = await first;
    expect(report.reason).toBe('first');
    expect(await scope.close('third')).toBe(report);
  });

  test('closes children with the parent, the latest first, each after its own children', async () => {
    const order: string[] = [];
    const agent = open('agent', 'planner');
    const one = open('session', '1', { parent: agent });
    const two = open('session', '2', { parent: agent });
    const tool = open('tool', 'a', { parent: one });
    for (const scope of [agent, one, two, tool]) scope.own(() => void order.push(scope.name));
    const report = await agent.close('stopped');
    expect(order).toEqual(['2', 'a', '1', 'planner']);
    expect(report.descendants).toBe(3);
    expect(await tool.close()).toMatchObject({ reason: 'parent closed', disposed: 1 });
    expect([agent, one, two, tool].map(({ state }) => state)).toEqual(Array(4).fill('closed'));
  });

  test('a parent lets go of its own only after a slow child', async () => {
    const order: string[] = [];
    const agent = open('agent', 'planner');
    const session = open('session', '1', { parent: agent });
    const quick = open('session', '2', { parent: agent });
    agent.own(() => void order.push('agent'));
    quick.own(() => void order.push('quick'));
    session.own(async () => {
      await sleep(5);
      order.push('session');
    });
    const closing = agent.close();
    expect([agent.state, session.state, quick.state]).toEqual(['closing', 'closing', 'closed']);
    await closing;
    expect(order).toEqual(['quick', 'session', 'agent']);
  });

  test('a parent waits for a child that was already closing', async () => {
    const order: string[] = [];
    const agent = open('agent', 'planner');
    const session = open('session', '1', { parent: agent });
    agent.own(() => void order.push('agent'));
    session.own(async () => {
      await sleep(5);
      order.push('session');
    });
    const child = session.close('done');
    const parent = agent.close('stopped');
    expect((await child).reason).toBe('done');
    await parent;
    expect(order).toEqual(['session', 'agent']);
  });

  test('a close asked for by an abort listener of the same scope is the same close', async () => {
    const scope = open('session', '1');
    scope.own(() => sleep(1));
    let inner: unknown;
    scope.signal.addEventListener('abort', () => {
      inner = scope.close('inner');
    });
    const outer = scope.close('outer');
    expect(inner).toBe(outer);
    expect((await outer).reason).toBe('outer');
  });

  test('using and await using close', async () => {
    let kept: Scope;
    {
      using scope = open('tool', 'search');
      kept = scope;
    }
    expect(kept.state).toBe('closed');
    let isDisposed = false;
    {
      // oxlint-disable-next-line typescript/await-thenable -- false alarm: a scope has Symbol.asyncDispose
      await using scope = open('tool', 'search');
      scope.own(async () => {
        await sleep(1);
        isDisposed = true;
      });
    }
    expect(isDisposed).toBe(true);
  });

  test('closing the process scope closes everything in it and leaves it open', async () => {
    const session = open('session', '1');
    const slow = open('session', '2');
    slow.own(() => sleep(2));
    let isDisposed = false;
    processScope().own(() => {
      isDisposed = true;
    });
    const { signal } = processScope();
    const closing = processScope().close('shutdown');
    expect(processScope().close()).toBe(closing);
    expect(await closing).toMatchObject({ path: 'process', reason: 'shutdown', disposed: 1, descendants: 2 });
    expect([session.state, slow.state, processScope().state]).toEqual(['closed', 'closed', 'open']);
    expect([isDisposed, signal.aborted, processScope().signal.aborted]).toEqual([true, true, false]);
    processScope()[Symbol.dispose]();
    expect(open('session', '3').parent).toBe(processScope());
  });

  test('a hundred thousand scopes, side by side and nested, close without recursion', async () => {
    const wide = open('agent', 'wide');
    for (let at = 0; at < 100_000; at += 1) open('session', `${at}`, { parent: wide }).charge(1);
    expect(roster.count).toBe(100_002);
    expect(wide.account.held).toBe(100_000);
    expect((await wide.close()).descendants).toBe(100_000);
    const root = open('agent', 'deep');
    let scope = root;
    for (let at = 0; at < 100_000; at += 1) scope = open('agent', 'a', { parent: scope });
    scope.own(() => sleep(1));
    expect(scope.depth).toBe(1_000);
    expect((await root.close()).descendants).toBe(100_000);
    expect(scope.state).toBe('closed');
    expect(roster.count).toBe(1);
    expect(processScope().account.held).toBe(0);
  });
});

describe('owned resources', () => {
  test('are disposed in reverse order, by whichever way they offer', async () => {
    const order: string[] = [];
    const scope = open('session', '1');
    const first = { [Symbol.dispose]: () => void order.push('dispose') };
    const second = {
      async [Symbol.asyncDispose]() {
        await sleep(1);
        order.push('asyncDispose');
      },
      [Symbol.dispose]: () => void order.push('not this one'),
    };
    expect(scope.own(first)).toBe(first);
    scope.own(second);
    scope.own(() => void order.push('function'));
    scope.own(first);
    expect((await scope.close()).disposed).toBe(3);
    expect(order).toEqual(['dispose', 'function', 'asyncDispose']);
  });

  test('can be taken back', async () => {
    const scope = open('session', '1');
    let calls = 0;
    const dispose = scope.own(() => void (calls += 1));
    expect(scope.disown(dispose)).toBe(true);
    expect(scope.disown(dispose)).toBe(false);
    await scope.close();
    expect([calls, scope.disown(dispose)]).toEqual([0, false]);
  });

  test('are disposed inside their scope, wherever close is called from', async () => {
    const scope = open('session', '1');
    let seen: Scope | undefined;
    scope.own(() => {
      seen = currentScope();
    });
    await scope.close();
    expect(seen).toBe(scope);
  });

  test('that throw, reject or hang are reported and hold up nobody', async () => {
    const order: string[] = [];
    const scope = open('session', '7', { disposeTimeoutMs: 20 });
    scope.own(() => void order.push('last'));
    scope.own(() => {
      throw new Error('thrown');
    }, 'socket');
    scope.own(() => forever, 'browser');
    scope.own(() => Promise.reject(new Error('rejected')), 'file');
    // oxlint-disable-next-line unicorn/no-thenable -- a hostile thenable is the point
    scope.own(() => ({ then: () => fail(new Error('bad then')) }), 'thenable');
    scope.own(() => fail({ toString: () => fail(new Error('unprintable')) }), 'odd');
    scope.own(() => void order.push('first'));
    const before = roster.faults.count;
    let report: Awaited<ReturnType<Scope['close']>> | undefined;
    const published = await faultsOf(async () => {
      report = await scope.close();
    });
    expect(order).toEqual(['first', 'last']);
    expect(scope.state).toBe('closed');
    expect(report?.disposed).toBe(7);
    expect(report?.faults.map(({ code, label, message }) => `${code} ${label} ${message}`))
      .toMatchInlineSnapshot(`
      [
        "PLM_SCOPE_DISPOSE_FAILED odd disposing "odd" failed with a value that cannot be printed; closing went on.",
        "PLM_SCOPE_DISPOSE_FAILED thenable disposing "thenable" failed with Error: bad then; closing went on.",
        "PLM_SCOPE_DISPOSE_FAILED file disposing "file" failed with Error: rejected; closing went on.",
        "PLM_SCOPE_DISPOSE_TIMEOUT browser disposing "browser" took longer than 20 ms; closing went on without it.",
        "PLM_SCOPE_DISPOSE_FAILED socket disposing "socket" failed with Error: thrown; closing went on.",
      ]
    `);
    expect(published.map(({ code }) => code)).toEqual(report?.faults.map(({ code }) => code));
    expect(published.at(-1)?.cause).toEqual(new Error('thrown'));
    expect(report?.faults.at(-1)?.stack).toContain('close.test.ts');
    expect(roster.faults.count - before).toBe(5);
    expect(roster.faults.byCode.get('PLM_SCOPE_DISPOSE_TIMEOUT')).toBeGreaterThan(0);
  });

  test('that reject after their time is up are not reported twice', async () => {
    const scope = open('session', '1', { disposeTimeoutMs: 5 });
    const slow = Promise.withResolvers<undefined>();
    scope.own(() => slow.promise, 'slow');
    const report = await scope.close();
    expect(report.faults.map(({ code }) => code)).toEqual(['PLM_SCOPE_DISPOSE_TIMEOUT']);
    const count = roster.faults.count;
    slow.reject(new Error('too late'));
    await sleep(5);
    expect(roster.faults.count).toBe(count);
  });

  test('that wait for their own scope to close run into their time, not into a deadlock', async () => {
    const scope = open('session', '1', { disposeTimeoutMs: 10 });
    scope.own(() => scope.close(), 'itself');
    const report = await scope.close();
    expect(report.faults.map(({ code }) => code)).toEqual(['PLM_SCOPE_DISPOSE_TIMEOUT']);
  });

  test('given to a closing or closed scope are let go of at once', async () => {
    const order: string[] = [];
    const scope = open('session', '1');
    scope.own(async () => {
      await sleep(1);
      scope.own(() => void order.push('while closing'));
    });
    const report = await scope.close();
    scope.own(() => void order.push('after'));
    expect(order).toEqual(['while closing', 'after']);
    expect(report.faults.map(({ message }) => message)).toMatchInlineSnapshot(`
      [
        ""resource" was given to a scope that is closing; it was disposed at once.",
        ""resource" was given to a scope that is closing; it was disposed at once.",
      ]
    `);
  });

  test('without a way to let go are refused with a warning', async () => {
    const scope = open('refusal', '1');
    const hostile = new Proxy(
      {},
      {
        get: () => fail(new Error('no reading')),
      },
    );
    const warnings = await warningsOf(() => {
      for (const value of [{}, null, 7, Object.create(null), hostile]) scope.own(value as Disposable);
    });
    expect(warnings).toMatchInlineSnapshot(`
      [
        "PLM_SCOPE_NOT_DISPOSABLE: own() was given a Object, which has neither Symbol.dispose nor Symbol.asyncDispose and is no function. (fix: pass a function that releases it: scope.own(() => thing.close(), "thing").)",
      ]
    `);
    expect((await scope.close()).disposed).toBe(0);
  });
});

test('the last hundred faults are kept, the count goes on', async () => {
  const before = roster.faults.count;
  const scope = open('session', '1');
  for (let at = 0; at < 150; at += 1) scope.own(() => fail(new Error(`${at}`)), `r${at}`);
  const report = await scope.close();
  expect(roster.faults.count - before).toBe(150);
  expect(roster.faults.recent).toHaveLength(100);
  expect(report.faults).toHaveLength(100);
});

function fail(error: unknown): never {
  throw error;
}

test('a close report has the exact bytes of the roots when it is asked for', async () => {
  const kept = { text: Buffer.from('x'.repeat(1_000_000)).toString() };
  const asked = await open('stage', 'rag', { root: kept }).close('done', { measure: true });
  expect(asked.rootBytes).toBeGreaterThan(1_000_000);
  expect(asked.rootBytes).toBeLessThan(1_010_000);
  expect(asked.peakBytes).toBe(asked.rootBytes);
  const atOpen = await open('stage', 'rag', { root: kept, measure: true }).close();
  expect(atOpen.rootBytes).toBe(asked.rootBytes);
  const plain = await open('stage', 'rag', { root: kept }).close();
  expect(plain).not.toHaveProperty('rootBytes');
});
