import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { denial, hang } from './breaker.fixture.ts';
import { DelegationBreaker } from './delegation-breaker.ts';

/** Work that ends when it is told to. */
function held(): { work: () => Promise<void>; end: () => void } {
  let end = (): void => {};
  const gate = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => gate, end };
}

describe('a bound over all trees', () => {
  test('a hundred requests with one delegation each run ten at once', async () => {
    using breaker = new DelegationBreaker({ total: 100, live: 10 });
    let running = 0;
    let most = 0;
    const requests = Array.from({ length: 100 }, (_, i) =>
      breaker.run({ agent: 'worker', task: i }, async () => {
        most = Math.max(most, ++running);
        await turn();
        running--;
        return i;
      }),
    );
    expect(breaker.stats()).toMatchObject({ trees: 100, live: 10, queued: 90 });
    expect(await Promise.all(requests)).toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect(most).toBe(10);
    expect(breaker.stats()).toMatchObject({ trees: 0, live: 0, queued: 0 });
  });

  test('trees of several levels come to an end in one place', async () => {
    using breaker = new DelegationBreaker({ total: 100, live: 1 });
    const down = (level: number): Promise<number> =>
      breaker.run({ agent: `level ${level}` }, async () => (level === 4 ? 4 : await down(level + 1)));
    expect(await Promise.all([down(1), down(1), down(1)])).toEqual([4, 4, 4]);
  });

  test('free places go round the trees: a wide one does not keep the others out', async () => {
    using breaker = new DelegationBreaker({ total: 100, live: 1 });
    const order: string[] = [];
    const step = (agent: string) => (): Promise<unknown> =>
      breaker.run({ agent }, async () => {
        order.push(agent);
        await turn();
      });
    const wide = breaker.run({ agent: 'wide' }, () =>
      Promise.all(['wide 1', 'wide 2', 'wide 3', 'wide 4'].map((agent) => step(agent)())),
    );
    await Promise.all([wide, step('new 1')(), step('new 2')()]);
    expect(order).toEqual(['wide 1', 'wide 2', 'new 1', 'wide 3', 'new 2', 'wide 4']);
  });

  test('one tree may have a bound of its own', async () => {
    using breaker = new DelegationBreaker({ total: 100, live: 4, livePerTree: 1 });
    const first = held();
    const tree = breaker.run({ agent: 'root' }, () =>
      Promise.all([breaker.run({ agent: 'a' }, first.work), breaker.run({ agent: 'b' }, () => 'b')]),
    );
    expect(breaker.stats()).toMatchObject({ live: 1, queued: 1 });
    expect(await breaker.run({ agent: 'other' }, () => 'other')).toBe('other');
    first.end();
    await tree;
  });

  test('what is cancelled while it waits leaves the queue at once', async () => {
    using breaker = new DelegationBreaker({ total: 100, live: 1, queue: 2 });
    const first = held();
    const running = breaker.run({ agent: 'first' }, first.work);
    const waiting = [1, 2].map((n) => breaker.run({ agent: `waiting ${n}` }, hang));
    const refused = await denial(breaker.run({ agent: 'one too many' }, hang));
    expect([refused.limit, refused.message]).toEqual([
      'queue',
      expect.stringContaining('2 delegations wait already') as string,
    ]);
    for (const { id, agent } of breaker.roots()) if (agent.startsWith('waiting')) breaker.cancel(id, 'left');
    expect(await Promise.allSettled(waiting)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    expect(breaker.stats()).toMatchObject({ trees: 1, queued: 0 });
    first.end();
    await running;
  });

  test('with full: "deny" a request above the bound is refused, also the first of a tree', async () => {
    using breaker = new DelegationBreaker({ total: 100, live: 1, full: 'deny' });
    const first = held();
    const running = breaker.run({ agent: 'first' }, first.work);
    const { limit, message } = await denial(breaker.run({ agent: 'second' }, hang));
    expect([limit, message]).toEqual([
      'live',
      expect.stringContaining('1 delegations run already') as string,
    ]);
    first.end();
    await running;
    expect(await breaker.run({ agent: 'third' }, () => 3)).toBe(3);
  });

  test('ten thousand that end at once do not pile up on the stack', async () => {
    using breaker = new DelegationBreaker({ total: 100, live: 1, queue: 20_000 });
    const first = held();
    const running = breaker.run({ agent: 'first' }, first.work);
    const rest = Array.from({ length: 10_000 }, (_, i) => breaker.run({ agent: 'next' }, () => i));
    first.end();
    await running;
    expect((await Promise.all(rest)).at(-1)).toBe(9999);
  });
});
