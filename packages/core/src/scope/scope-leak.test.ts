import { setTimeout as sleep } from 'node:timers/promises';
import { doesNotLeak } from '@plimsoll/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { collectUntil, usedHeap, warningsOf } from './collect.fixture.ts';
import { currentScope, open, processScope, roster } from './index.ts';
import type { Scope } from './scope.ts';

afterEach(async () => {
  await processScope().close();
  await collectUntil(() => [...roster.lingering()].length === 0);
});

const labels = (): string[] => [...roster.watched()].map(({ label }) => label);
const lingering = (): string[] => [...roster.lingering()].map(({ path }) => path);

describe('a closed scope', () => {
  test('holds nothing of what it owned, rooted, watched or was charged', async () => {
    const refs: WeakRef<object>[] = [];
    const kept: Scope[] = [];
    const work = async (): Promise<void> => {
      const scope = open('session', 'a', {
        root: remember({ root: 1 }),
        signal: new AbortController().signal,
      });
      scope.own(remember(() => {}));
      scope.watch(remember({ watched: 1 }), 'state');
      scope.charge(remember({ bytes: 10 }));
      scope.line('buffer').set(5);
      const listener = remember({ listener: 1 });
      scope.signal.addEventListener('abort', () => listener);
      scope.own(() => Promise.reject(remember(new Error('kept by nobody'))));
      kept.push(scope);
      await scope.close();
    };
    const remember = <T extends object>(object: T): T => {
      refs.push(new WeakRef(object));
      return object;
    };
    await work();
    expect(await collectUntil(() => refs.every((ref) => ref.deref() === undefined))).toBe(true);
    expect(refs).toHaveLength(6);
    expect(kept[0]?.account).toMatchObject({ own: 0, peak: 15 });
  });

  test('is not kept by a timer that was started in it', async () => {
    const refs: WeakRef<object>[] = [];
    const timers: NodeJS.Timeout[] = [];
    const serve = (name: string): void => {
      const scope = open('session', name, { root: { history: 'x'.repeat(1000) } });
      scope.run(() => timers.push(setInterval(idle, 60_000)));
      refs.push(new WeakRef(scope));
      void scope.close();
    };
    serve('a');
    expect(await collectUntil(() => refs[0]?.deref() === undefined)).toBe(true);
    // The timer keeps its async context, a few words: that is what gives it away.
    expect(lingering()).toEqual(['process/session:a']);
    for (const timer of timers) clearInterval(timer);
    timers.length = 0;
    expect(await collectUntil(() => lingering().length === 0)).toBe(true);
  });

  test('that someone keeps is listed as lingering with the GC epoch of its close', async () => {
    const leaked: Scope[] = [];
    const epoch = roster.majorGcEpoch;
    roster.noteMajorGc();
    const serve = (name: string): void => {
      const scope = open('session', name);
      if (name === 'leaky') leaked.push(scope);
      void scope.close();
    };
    for (const name of ['a', 'b', 'leaky', 'c']) serve(name);
    expect(await collectUntil(() => lingering().length === 1)).toBe(true);
    expect([...roster.lingering()]).toEqual([
      {
        id: leaked[0]?.id,
        path: 'process/session:leaky',
        kind: 'session',
        name: 'leaky',
        closedAt: expect.any(Number),
        majorGcEpoch: epoch + 1,
      },
    ]);
    leaked.length = 0;
  });

  test('leaves no memory behind, whatever ran in it', async () => {
    const serve = (at: number): void => {
      const session = open('session', `${at}`);
      const tool = open('tool', 'search', { parent: session });
      session.run(() => tool.run(() => currentScope().charge(64)));
      session.line('window').set(100);
      session.own(() => {});
      void session.close();
    };
    await doesNotLeak(serve, { per: 'session' });
    expect(processScope().account.held).toBe(0);
  });

  test('costs a frozen number of bytes while it is open', async () => {
    const count = 20_000;
    const scopes: Scope[] = Array(count);
    const names = Array.from({ length: count }, (_, at) => `session-${at}`);
    const before = await usedHeap();
    for (let at = 0; at < count; at += 1) scopes[at] = open('session', names[at] as string);
    const each = ((await usedHeap()) - before) / count;
    // 700 B: scope, handle, record, account, weak reference, registry cell. A field more is 8 B, a Map more is 200 B.
    expect(each).toBeGreaterThan(300);
    expect(each).toBeLessThan(800);
    for (const scope of scopes) void scope.close();
  });
});

describe('an abandoned scope', () => {
  test('is closed when nothing refers to it, and reported', async () => {
    const forget = (): void => {
      open('session', 'forgotten', { root: { history: 1 } }).charge(500);
    };
    forget();
    expect(processScope().account.held).toBe(500);
    expect(await collectUntil(() => roster.count === 1)).toBe(true);
    expect(processScope().account.held).toBe(0);
    expect(roster.faults.recent.at(-1)).toMatchObject({
      code: 'PLM_SCOPE_ABANDONED',
      path: 'process/session:forgotten',
      message: 'the scope was never closed and nothing refers to it; it was closed now.',
    });
  });

  test('stays open for the resources it owns, is reported once and closes with its parent', async () => {
    const agent = open('agent', 'planner');
    let calls = 0;
    const forget = (): void => {
      open('session', 'busy', { parent: agent }).own(() => void (calls += 1));
    };
    forget();
    const before = roster.faults.count;
    expect(await collectUntil(() => roster.faults.count > before)).toBe(true);
    expect(roster.faults.recent.at(-1)?.message).toBe(
      'the scope was never closed and nothing refers to it; it owns 1 resources and stays open until its parent closes.',
    );
    const [session] = agent.children();
    expect([session?.state, session?.abandoned, calls]).toEqual(['open', true, 0]);
    expect(agent.children()[0]).toBe(session);
    await collectUntil(() => false, 3);
    expect(roster.faults.count).toBe(before + 1);
    await agent.close();
    expect([calls, session?.state]).toEqual([1, 'closed']);
  });

  test('is none while its async work, a line or a child is alive', async () => {
    let release = (): void => {};
    const gate = new Promise<void>((done) => (release = done));
    const seen: string[] = [];
    const kept: object[] = [];
    const forget = (): void => {
      void open('session', 'working').run(async () => {
        await gate;
        seen.push(currentScope().path);
      });
      kept.push(open('session', 'lined').line('window'));
      kept.push(open('tool', 'child', { parent: open('session', 'parent') }));
    };
    forget();
    const before = roster.faults.count;
    await collectUntil(() => false, 5);
    expect([roster.count, roster.faults.count]).toEqual([5, before]);
    release();
    await sleep(1);
    expect(seen).toEqual(['process/session:working']);
    await (kept.pop() as Scope).close();
    kept.length = 0;
    expect(await collectUntil(() => roster.count === 1)).toBe(true);
    expect(roster.faults.byCode.get('PLM_SCOPE_ABANDONED')).toBeGreaterThan(3);
  });

  test('is found again through the roster as long as it is open', async () => {
    const forget = (): void => {
      const scope = open('session', 'parent');
      void open('tool', 'child', { parent: scope }).own(() => {});
    };
    forget();
    const before = roster.faults.count;
    expect(await collectUntil(() => roster.faults.count > before)).toBe(true);
    const child = [...roster.open].find(({ name }) => name === 'child');
    expect(child?.parent?.path).toBe('process/session:parent');
    expect(child?.parent).toBe(child?.parent);
    await child?.close();
    expect(await collectUntil(() => roster.count === 1)).toBe(true);
  });
});

describe('a burst of closed scopes', () => {
  test('is followed in part, the rest counted, and open ones are still found', async () => {
    const before = roster.untracked;
    const waiting = lingering().length;
    const began = performance.now();
    for (let at = 0; at < 12_000; at += 1) void open('tool', 'burst').close();
    const seconds = (performance.now() - began) / 1000;
    const followed = lingering().length - waiting;
    expect(followed).toBeGreaterThan(0);
    // A thousand at once and a hundred a second.
    expect(followed).toBeLessThanOrEqual(1001 + 100 * seconds);
    expect(followed + roster.untracked - before).toBe(12_000);
    const forget = (): void => {
      open('session', 'in the burst').charge(1);
    };
    forget();
    const kept = open('session', 'kept');
    expect(await collectUntil(() => roster.count === 2)).toBe(true);
    expect([...roster.open][1]).toBe(kept);
    expect([...roster.lingering()]).toEqual([]);
  });
});

describe('watched objects', () => {
  test('that are gone after close are not listed, those that stay are', async () => {
    const leak: object[] = [];
    const serve = (): void => {
      const scope = open('session', '42');
      leak.push(scope.watch({ history: 'x' }, 'leaked state'));
      scope.watch({ history: 'y' }, 'good state');
      void scope.close();
    };
    serve();
    expect(await collectUntil(() => labels().length === 1)).toBe(true);
    const [watched] = [...roster.watched()];
    expect(watched).toMatchObject({
      label: 'leaked state',
      scopePath: 'process/session:42',
      kind: 'session',
    });
    expect(Math.abs(Date.now() - (watched?.closedAt ?? 0))).toBeLessThan(60_000);
    expect(watched?.majorGcEpoch).toBe(roster.majorGcEpoch);
    expect(watched?.ref.deref()).toMatchObject({ label: 'leaked state', path: 'process/session:42' });
    expect(watched?.ref.deref()?.constructor.name).toBe('PlimsollWatched');
    leak.length = 0;
    expect(await collectUntil(() => labels().length === 0)).toBe(true);
  });

  test('are not kept by the watch, nor listed before the scope closes', async () => {
    const scope = open('session', 'long');
    let ref: WeakRef<object> | undefined;
    const message = (): void => {
      ref = new WeakRef(scope.watch({ text: 'hello' }, 'message'));
    };
    message();
    expect(labels()).toEqual([]);
    expect(await collectUntil(() => ref?.deref() === undefined)).toBe(true);
    await scope.close();
    expect(labels()).toEqual([]);
  });

  test('may be watched by several scopes and after the close', async () => {
    const shared = { tools: 1 };
    const first = open('session', '1');
    const second = open('session', '2');
    first.watch(shared, 'one');
    second.watch(shared, 'two');
    await first.close();
    await second.close();
    first.watch(shared, 'three');
    await collectUntil(() => false, 2);
    expect(labels()).toEqual(['one', 'two', 'three']);
  });

  test('have to be objects', async () => {
    const scope = open('watching', '1');
    const warnings = await warningsOf(() => {
      expect(scope.watch('text' as unknown as object, 'text')).toBe('text');
      scope.watch(null as unknown as object, 'null');
    });
    expect(warnings).toMatchInlineSnapshot(`
      [
        "PLM_SCOPE_NOT_AN_OBJECT: watch() was given a string, which is not an object. (fix: pass the object that holds the data to watch().)",
      ]
    `);
  });

  test('are bounded; what does not fit is counted', async () => {
    const scope = open('session', 'many');
    const kept = Array.from({ length: 60_000 }, (_, at) => ({ at }));
    const before = roster.watchOverflow;
    for (const object of kept) scope.watch(object, 'message');
    expect(roster.watchOverflow - before).toBeGreaterThanOrEqual(10_000);
    await scope.close();
    expect(labels().length).toBeLessThanOrEqual(50_000);
    kept.length = 0;
    expect(await collectUntil(() => labels().length === 0)).toBe(true);
    const again = open('session', 'again');
    const object = again.watch({}, 'fits again');
    await again.close();
    expect(labels()).toEqual(['fits again']);
    expect(object).toEqual({});
  });
});

function idle(): void {}

test('of many scopes that nobody holds a few are closed at a time, and all in the end', async () => {
  const openSessions = (): number => roster.count - 1;
  const loseMany = (): void => {
    for (let i = 0; i < 700; i += 1) open('session', `lost ${i}`);
  };
  let left: readonly number[] = [];
  await warningsOf(async () => {
    loseMany();
    // A collection makes them weak, and the next one finds them gone.
    await collectUntil(() => openSessions() < 700);
    left = [openSessions()];
    await sleep(1000);
    left = [...left, openSessions()];
  });
  expect(left).toEqual([500, 0]);
});
