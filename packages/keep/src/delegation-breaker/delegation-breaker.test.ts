import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { isCollected } from '../collect.fixture.ts';
import { DelegationBreaker } from './delegation-breaker.ts';
import type { Delegation } from './delegation.ts';
import { refused, denial, hang } from './breaker.fixture.ts';

describe('construction', () => {
  test('a breaker without a bound cannot be made', () => {
    expect(refused({ depth: 5 })).toMatchInlineSnapshot(`
      "PLM_KEEP_UNBOUNDED: a DelegationBreaker needs a bound and got none.
        at:  new DelegationBreaker(options)
        fix: set at least one of total."
    `);
  });

  test.each([
    [{ total: Number.NaN }],
    [{ total: 0 }],
    [{ total: 1.5 }],
    [{ total: 10, depth: -1 }],
    [{ total: 10, live: Number.POSITIVE_INFINITY }],
    [{ total: 10, tokens: -1 }],
    [{ total: 10, bytes: '1' }],
    [{ total: 10, time: 'soon' }],
    [{ total: 10, full: 'explode' }],
    [{ total: 10, fingerprint: 'x' }],
    [{ total: 10, failures: { count: 0 } }],
    [{ total: 10, approve: { depth: 2 } }],
    [{ total: 10, pingPong: 0 }],
  ])('%o is refused with the accepted form', (options) => {
    expect(refused(options)).toMatch(/^PLM_KEEP_BAD_OPTION: .+ has to be .+/);
  });

  test('a request that cannot be meant is refused', async () => {
    using breaker = new DelegationBreaker({ total: 10 });
    await expect(breaker.run({ agent: '' }, () => 1)).rejects.toThrow(
      'agent is ""; it has to be a non-empty string',
    );
    await expect(breaker.run({ agent: 7 as unknown as string }, () => 1)).rejects.toThrow(
      'a non-empty string',
    );
    await expect(breaker.run({ agent: 'a' }, 1 as unknown as () => 1)).rejects.toThrow(
      'work is "number"; it has to be a function',
    );
  });
});

describe('cancelling', () => {
  test('a part of a tree goes, the rest stays; the waiting one is told at once', async () => {
    using breaker = new DelegationBreaker({ total: 100, live: 1 });
    const reported: unknown[] = [];
    breaker.on('cancelled', (event) => reported.push(event));
    let branch: Delegation | undefined;
    const outcome = breaker.run({ agent: 'root' }, (root) =>
      Promise.allSettled([
        breaker.run({ agent: 'branch' }, (self) => {
          branch = self;
          return breaker.run({ agent: 'leaf' }, (leaf) => {
            leaf.signal.addEventListener('abort', () => {
              throw new Error('a listener that throws harms nobody');
            });
            return leaf.signal.aborted ? 1 : hang();
          });
        }),
        breaker.run({ agent: 'queued' }, () => `queued under ${root.agent}`),
      ]),
    );
    await turn();
    expect(breaker.roots()).toEqual([breaker.tree(1)]);
    expect(breaker.tree(1)?.children.map(({ agent, state }) => [agent, state])).toEqual([
      ['branch', 'running'],
      ['queued', 'waiting'],
    ]);
    expect(breaker.tree(99)).toBeUndefined();
    const caught: unknown[] = [];
    process.once('uncaughtException', (error) => caught.push(error.message));
    expect(branch?.cancel('enough')).toBe(2);
    expect(branch?.cancel('enough')).toBe(0);
    expect(breaker.cancel(99)).toBe(0);
    // The leaf hangs for ever and keeps its place: what is queued is cancelled with the tree.
    await turn();
    expect(breaker.cancel(1, 'all')).toBeGreaterThan(0);
    await expect(outcome).rejects.toThrow('root and everything below it was cancelled (all)');
    expect(reported[0]).toMatchObject({ agent: 'branch', reason: 'enough', delegations: 2 });
    expect(branch?.signal.aborted).toBe(true);
    process.removeAllListeners('uncaughtException');
  });

  test('nothing new starts below what was cancelled', async () => {
    using breaker = new DelegationBreaker({ total: 100 });
    let limit: string | undefined;
    const run = breaker.run({ agent: 'root' }, async (self) => {
      self.cancel();
      limit = (await denial(breaker.run({ agent: 'child' }, () => 1))).limit;
    });
    await expect(run).rejects.toMatchObject({ code: 'PLM_DELEGATION_CANCELLED' });
    await turn();
    expect(limit).toBe('cancelled');
    expect(breaker.stats()).toMatchObject({ cancelled: 1, unfinished: 0 });
  });

  test('closing the breaker cancels all and refuses the rest; pausing only refuses', async () => {
    const breaker = new DelegationBreaker({ total: 100 });
    expect(breaker.delegation).toBeUndefined();
    breaker.pause('memory is critical');
    expect(await denial(breaker.run({ agent: 'a' }, () => 1))).toMatchObject({ limit: 'paused' });
    breaker.resume();
    const run = breaker.run({ agent: 'a' }, (self) => {
      expect(breaker.delegation).toBe(self);
      return hang();
    });
    breaker[Symbol.dispose]();
    breaker[Symbol.dispose]();
    await expect(run).rejects.toThrow('the breaker was closed');
    expect(await denial(breaker.run({ agent: 'a' }, () => 1))).toMatchObject({ limit: 'closed' });
  });
});

describe('what stays', () => {
  test('delegations that outlive the one above them are reported', async () => {
    using breaker = new DelegationBreaker({ total: 100 });
    const reported: unknown[] = [];
    breaker.on('outlived', (event) => reported.push(event));
    await breaker.run({ agent: 'root' }, () => {
      void breaker.run({ agent: 'forgotten' }, () => turn());
      return 'done';
    });
    expect(reported).toEqual([{ agent: 'root', path: ['root'], children: ['forgotten'] }]);
    expect(breaker.stats()).toMatchObject({ trees: 1, unfinished: 1 });
    await turn();
    await turn();
    expect(breaker.stats()).toMatchObject({ trees: 0, unfinished: 0, outlived: 1 });
  });

  test('tasks, results and contexts of finished delegations are gone, by the collector itself', async () => {
    using breaker = new DelegationBreaker({ total: 100 });
    const run = async (): Promise<WeakRef<object>[]> => {
      const task = { text: 'x'.repeat(10_000) };
      const refs: WeakRef<object>[] = [new WeakRef(task)];
      await breaker.run({ agent: 'root', task }, async (root) => {
        refs.push(new WeakRef(root));
        const result = await breaker.run({ agent: 'child', task: 1 }, () => ({ big: 'y'.repeat(10_000) }));
        refs.push(new WeakRef(result));
      });
      return refs;
    };
    for (const ref of await run()) expect(await isCollected(ref)).toBe(true);
  });
});
