import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { warningsOf } from './collect.fixture.ts';
import { currentScope, open, processScope, roster } from './index.ts';
import type { OpenOptions } from './open.ts';
import type { Scope } from './scope.ts';

afterEach(async () => {
  await processScope().close();
});

describe('the tree', () => {
  test('a path names every owner from the process down', () => {
    const agent = open('agent', 'planner');
    const session = open('session', '42', { parent: agent });
    expect(session.path).toBe('process/agent:planner/session:42');
    expect(session.depth).toBe(2);
    expect(session.parent).toBe(agent);
    expect(agent.parent).toBe(processScope());
    expect(processScope().parent).toBeUndefined();
    expect(agent.children()).toEqual([session]);
    expect({ kind: session.kind, name: session.name, state: session.state }).toEqual({
      kind: 'session',
      name: '42',
      state: 'open',
    });
    expect(session.id).toBeGreaterThan(agent.id);
    expect(Math.abs(Date.now() - session.openedAt)).toBeLessThan(60_000);
  });

  test('work started in a scope stays in it across awaits and timers', async () => {
    const session = open('session', 'a');
    const seen: Scope[] = [];
    const work = session.run(async () => {
      seen.push(currentScope());
      await sleep(1);
      seen.push(currentScope());
      await new Promise<void>((done) => {
        setTimeout(() => {
          seen.push(currentScope());
          done();
        }, 1);
      });
      return open('tool', 'search').path;
    });
    expect(currentScope()).toBe(processScope());
    expect(await work).toBe('process/session:a/tool:search');
    expect(seen).toEqual([session, session, session]);
  });

  test('run leaves the stores of others as they are, inside, afterwards and after a throw', async () => {
    const others = [new AsyncLocalStorage<string>(), new AsyncLocalStorage<string>()] as const;
    const seen = (): readonly unknown[] => [...others.map((each) => each.getStore()), currentScope().name];
    const outer = open('session', 'outer');
    const inner = open('agent', 'inner', { parent: outer });
    await others[0].run('a', async () => {
      expect(outer.run(() => outer.run(seen))).toEqual(['a', undefined, 'outer']);
      const later = outer.run(() =>
        others[1].run('b', async () => {
          expect(() => inner.run(() => expect.fail(String(seen())))).toThrow('a,b,inner');
          expect(seen()).toEqual(['a', 'b', 'outer']);
          await sleep(1);
          return inner.run(async () => sleep(1).then(seen));
        }),
      );
      expect(seen()).toEqual(['a', undefined, 'process']);
      expect(await later).toEqual(['a', 'b', 'inner']);
      expect(seen()).toEqual(['a', undefined, 'process']);
    });
    expect(seen()).toEqual([undefined, undefined, 'process']);
  });

  test('run gives back what the function returns and throws what it throws', () => {
    const scope = open('session', 'a');
    expect(scope.run(() => 7)).toBe(7);
    expect(() =>
      scope.run(() => {
        throw new Error('mine');
      }),
    ).toThrow('mine');
  });

  test('after its close, late work belongs to the nearest open ancestor', async () => {
    const agent = open('agent', 'planner');
    const session = open('session', 'late', { parent: agent });
    const tool = open('tool', 'slow', { parent: session });
    let release = (): void => {};
    const gate = new Promise<void>((done) => (release = done));
    const seen = tool.run(async () => {
      await gate;
      const inAgent = currentScope();
      await agent.close();
      return [inAgent, currentScope()];
    });
    await session.close();
    release();
    expect(await seen).toEqual([agent, processScope()]);
    expect(tool.state).toBe('closed');
  });

  test('closed scopes leave the tree from the middle as from the ends', async () => {
    const agent = open('agent', 'planner');
    const sessions = ['a', 'b', 'c', 'd'].map((name) => open('session', name, { parent: agent }));
    await sessions[1]?.close();
    await sessions[3]?.close();
    await sessions[0]?.close();
    expect(agent.children().map(({ name }) => name)).toEqual(['c']);
    expect(sessions[1]?.parent).toBeUndefined();
    await sessions[2]?.close();
    expect(agent.children()).toEqual([]);
  });
});

describe('names', () => {
  test('odd characters are escaped in the path and kept in the name', () => {
    const scope = open('se:ss/ion', 'a/b%\u0000\n\u202e\ud800é:1');
    expect(scope.path).toMatchInlineSnapshot(`"process/se%3Ass%2Fion:a%2Fb%25%00%0A%u202E%uD800é:1"`);
    expect(scope.name).toBe('a/b%\u0000\n\u202e\ud800é:1');
  });

  test('long names are cut, numbers are accepted', () => {
    expect(open('session', 'x'.repeat(5000)).name).toHaveLength(200);
    expect(open('session', 42 as unknown as string).path).toBe('process/session:42');
  });

  test('a missing name warns and does not stop the request', async () => {
    const warnings = await warningsOf(() => {
      expect(open('session', '').path).toBe('process/session:(unnamed)');
      expect(open(undefined as unknown as string, 'a').path).toBe('process/scope:a');
      open('session', '');
    });
    expect(warnings).toMatchInlineSnapshot(`
      [
        "PLM_SCOPE_BAD_NAME: the name of a scope is ""; it was opened as "(unnamed)". (fix: pass a non-empty string as name, such as "42".)",
        "PLM_SCOPE_BAD_NAME: the kind of a scope is undefined; it was opened as "scope". (fix: pass a non-empty string as kind, such as "session".)",
      ]
    `);
  });
});

describe('options', () => {
  test('a budget is a number on the scope', () => {
    const scope = open('session', 'a', { budget: 64 });
    expect(scope.budget).toBe(64);
    scope.budget = 32;
    expect(scope.budget).toBe(32);
    scope.budget = undefined;
    expect(scope.budget).toBeUndefined();
  });

  test('unusable options warn and are left out', async () => {
    const bad = { budget: Number.NaN, signal: 'no', disposeTimeoutMs: -1, root: 7 } as unknown as OpenOptions;
    const warnings = await warningsOf(() => {
      const scope = open('session', 'a', bad);
      expect(scope.budget).toBeUndefined();
      expect(scope.signal.aborted).toBe(false);
      expect([...roster.roots()]).toEqual([]);
      expect(open('session', 'b', { parent: {} as Scope }).path).toBe('process/session:b');
    });
    expect(warnings).toMatchInlineSnapshot(`
      [
        "PLM_SCOPE_BAD_OPTION: budget is NaN; accepted: a number of bytes above 0. (fix: pass a number of bytes above 0 as budget, or leave it out.)",
        "PLM_SCOPE_BAD_OPTION: signal is a string; accepted: an AbortSignal. (fix: pass an AbortSignal as signal, or leave it out.)",
        "PLM_SCOPE_BAD_OPTION: disposeTimeoutMs is -1; accepted: a number of ms from 0 to 2147483647. (fix: pass a number of ms from 0 to 2147483647 as disposeTimeoutMs, or leave it out.)",
        "PLM_SCOPE_NOT_AN_OBJECT: root() was given a number, which is not an object. (fix: pass the object that holds the data to root().)",
      ]
    `);
  });

  test('a scope opened in a closed one goes to the nearest open ancestor, with one warning', async () => {
    const agent = open('agent', 'planner');
    const session = open('session', '1', { parent: agent });
    await session.close();
    const warnings = await warningsOf(() => {
      expect(open('tool', 'a', { parent: session }).parent).toBe(agent);
      expect(open('tool', 'b', { parent: session }).parent).toBe(agent);
      session.run(() => expect(open('tool', 'c').parent).toBe(agent));
    });
    expect(warnings).toMatchInlineSnapshot(`
      [
        "PLM_SCOPE_PARENT_CLOSED: a scope of kind "tool" was opened after its parent had closed; it is attached to process/agent:planner. (fix: end the work with scope.signal when its scope closes, or close the parent later.)",
      ]
    `);
  });

  test('a scope opened in a closing one goes to the nearest open ancestor', async () => {
    const agent = open('agent', 'planner');
    const session = open('session', '1', { parent: agent });
    let opened: Scope | undefined;
    session.own(() => {
      opened = open('cleanup', 'flush');
    });
    await session.close();
    expect(opened?.parent).toBe(agent);
    expect(opened?.state).toBe('open');
  });
});

describe('use', () => {
  test('idle time, touch and leases tell whether a scope is in use', async () => {
    const scope = open('session', 'a');
    await sleep(15);
    expect(scope.idleMs).toBeGreaterThan(5);
    const touched = performance.now();
    scope.touch();
    expect(scope.idleMs).toBeLessThanOrEqual(performance.now() - touched);
    const lease = scope.lease();
    {
      using second = scope.lease();
      expect(scope.leases).toBe(2);
      second.release();
      expect(scope.leases).toBe(1);
    }
    expect(scope.leases).toBe(1);
    await scope.close();
    lease.release();
    expect(scope.leases).toBe(0);
    scope.lease();
    expect(scope.leases).toBe(0);
  });

  test('opening and closing is published', async () => {
    const seen: unknown[] = [];
    const onOpen = (scope: unknown): void => void seen.push((scope as Scope).path);
    const onClose = (report: unknown): void => void seen.push(report);
    channel('plimsoll:scope.open').subscribe(onOpen);
    channel('plimsoll:scope.close').subscribe(onClose);
    const scope = open('session', 'a');
    const report = await scope.close('done');
    channel('plimsoll:scope.open').unsubscribe(onOpen);
    channel('plimsoll:scope.close').unsubscribe(onClose);
    expect(seen).toEqual(['process/session:a', report]);
  });
});

describe('the roster', () => {
  test('lists open scopes, parents first', () => {
    const agent = open('agent', 'planner');
    const session = open('session', '1', { parent: agent });
    const other = open('agent', 'writer');
    expect([...roster.open]).toEqual([processScope(), agent, session, other]);
    expect(roster.count).toBe(4);
  });

  test('a registered root is found with its scope and let go on close', async () => {
    const state = { messages: ['hello'] };
    const session = open('session', '1', { root: state });
    const more = session.root({ tools: 1 });
    session.root(state);
    const [found] = [...roster.roots()];
    expect(found?.scope.id).toBe(session.id);
    expect(found?.roots).toEqual([state, more]);
    expect(session.unroot(more)).toBe(true);
    expect(session.unroot(more)).toBe(false);
    expect(found?.marker).toMatchObject({ path: 'process/session:1', state: 'open', roots: [state] });
    expect(found?.marker.constructor.name).toBe('PlimsollScopeRoot');
    await session.close();
    expect(found?.marker).toMatchObject({ state: 'closed', roots: [] });
    expect([...roster.roots()]).toEqual([]);
    session.root(state);
    expect([...roster.roots()]).toEqual([]);
  });

  test('totals keep what closed scopes were charged', async () => {
    const first = open('job', 'index');
    first.charge(100);
    await first.close();
    const second = open('job', 'index');
    second.charge(30);
    expect(roster.totals().find(({ kind }) => kind === 'job')).toEqual({
      kind: 'job',
      name: 'index',
      opened: 2,
      closed: 1,
      chargedBytes: 130,
      peakBytes: 100,
    });
  });
});

test('holds replaces the root that an earlier call said, and no other', () => {
  using agent = open('agent', 'a');
  const roots = (): readonly object[] => [...roster.roots()].flatMap(({ roots: list }) => [...list]);
  const [own, first, second] = [{ own: 1 }, { first: 1 }, { second: 1 }];
  agent.root(own);
  agent.holds(first);
  agent.holds(first);
  expect(roots()).toEqual([own, first]);
  agent.holds(second);
  expect(roots()).toEqual([own, second]);
  // An object that is a root already is not registered twice.
  agent.holds(own);
  expect(roots()).toEqual([own]);
  void agent.close();
  agent.holds(first);
  expect(roots()).toEqual([]);
});
