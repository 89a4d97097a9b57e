import { setImmediate as turn } from 'node:timers/promises';
import { open } from '@plimsoll/core';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { describe, expect, test } from 'vitest';
import { keepers } from '@plimsoll/core/keeper';
import { DelegationBreaker } from './delegation-breaker.ts';
import type { Delegation } from './delegation.ts';
import { taskFingerprint } from './task-fingerprint.ts';
import { denial, hang } from './breaker.fixture.ts';

describe('limits', () => {
  const nested = (breaker: DelegationBreaker, levels: number): Promise<number> =>
    levels === 0
      ? Promise.resolve(0)
      : breaker.run(
          { agent: `agent ${levels}`, task: levels },
          async () => 1 + (await nested(breaker, levels - 1)),
        );

  test('depth: the refusal carries the path and the limit', async () => {
    using breaker = new DelegationBreaker({ total: 100, depth: 3 });
    expect(await nested(breaker, 3)).toBe(3);
    const error = await denial(nested(breaker, 4));
    expect(error).toMatchObject({ limit: 'depth', path: ['agent 4', 'agent 3', 'agent 2', 'agent 1'] });
    expect(String(error)).toMatchInlineSnapshot(`
      "PLM_DELEGATION_DENIED: agent 4 > agent 3 > agent 2 > agent 1 was refused by the limit "depth": the limit is 3 levels.
        at:  delegation breaker "delegations"
        fix: let the delegating agent finish the task itself, or raise the limit if the tree is meant to be this large."
    `);
    expect(breaker.stats()).toMatchObject({ trees: 0, live: 0, denied: 1, unfinished: 0 });
  });

  test('total counts the whole tree, and each tree for itself', async () => {
    using breaker = new DelegationBreaker({ total: 5 });
    const fan = (count: number): Promise<unknown> =>
      breaker.run({ agent: 'root' }, () =>
        Promise.all(
          Array.from({ length: count }, (_, i) => breaker.run({ agent: 'worker', task: i }, () => i)),
        ),
      );
    await fan(4);
    await fan(4);
    expect(await denial(fan(5))).toMatchObject({ limit: 'total' });
  });

  test('live: at the limit others wait, and a parent that waits does not count', async () => {
    using breaker = new DelegationBreaker({ total: 100, live: 1 });
    let most = 0;
    const tree = (depth: number, self?: Delegation): Promise<unknown> => {
      most = Math.max(most, breaker.stats().live);
      if (depth === 0) return turn(self?.id);
      return Promise.all(
        [1, 2].map((i) =>
          breaker.run({ agent: `d${depth}`, task: `${self?.id} ${i}` }, (own) => tree(depth - 1, own)),
        ),
      );
    };
    await breaker.run({ agent: 'root' }, (self) => tree(3, self));
    expect(most).toBe(1);
    expect(breaker.stats()).toMatchObject({ started: 15, done: 15, live: 0, queued: 0 });
  });

  test('live: or they are refused', async () => {
    using breaker = new DelegationBreaker({ total: 100, live: 1, full: 'deny' });
    const outcomes = await breaker.run({ agent: 'root' }, () =>
      Promise.allSettled([1, 2].map((task) => breaker.run({ agent: 'worker', task }, () => turn()))),
    );
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected']);
  });

  test('tokens and bytes: what the tree used decides', async () => {
    using scope = open('session', 'delegating');
    const breaker = scope.run(() => new DelegationBreaker({ total: 100, tokens: 1000, bytes: '1MiB' }));
    await breaker.run({ agent: 'root' }, async (root) => {
      await breaker.run({ agent: 'writer' }, (writer) => {
        expect(writer.spend(900)).toBe(true);
        expect(writer.spend(Number.NaN)).toBe(true);
        expect(writer.hold(2 * 1024 * 1024)).toBe(false);
        expect(root.remaining()).toMatchObject({ tokens: 100, bytes: -1024 * 1024, depth: 7, total: 98 });
        expect(root.remaining().timeMs).toBe(Number.POSITIVE_INFINITY);
        expect(scope.account.held).toBe(2 * 1024 * 1024);
        return denial(breaker.run({ agent: 'reader' }, () => 1)).then((error) => {
          expect(error.message).toContain('the tree holds 2.0 MiB of 1.0 MiB');
        });
      });
      expect(breaker.bytes).toBe(0);
      expect(root.hold(-1)).toBe(true);
      expect(root.spend(100)).toBe(false);
      expect(await denial(breaker.run({ agent: 'reader' }, () => 1))).toMatchObject({
        limit: 'tokens',
        message: 'root > reader was refused by the limit "tokens": 1000 of 1000 tokens are spent.',
      });
    });
    expect(scope.account.held).toBe(0);
    expect(keepers()).toContain(breaker);
    expect(await breaker.shed({ bytes: 1 })).toBe(0);
    await expect(breaker.shed({ bytes: Number.NaN })).rejects.toThrow('bytes above 0');
    breaker[Symbol.dispose]();
    expect(keepers()).not.toContain(breaker);
  });

  test('time: the tree is cancelled at its end, and nothing new starts after it', async () => {
    const clock = new FakeClock();
    using breaker = new DelegationBreaker({ total: 100, time: '10m', clock });
    let reason: unknown;
    const run = breaker.run({ agent: 'root' }, (root) => {
      root.signal.addEventListener('abort', () => {
        reason = root.signal.reason;
      });
      expect(root.remaining().timeMs).toBe(600_000);
      return hang();
    });
    clock.advance(600_000);
    await expect(run).rejects.toThrow('cancelled (the limit of 10 m per tree is over)');
    expect(reason).toMatchObject({ code: 'PLM_DELEGATION_CANCELLED' });
    const quick = breaker.run({ agent: 'root' }, () => 1);
    expect(await quick).toBe(1);
    expect(clock.waiting).toBe(0);
    const stalled = breaker.run({ agent: 'root' }, async () => {
      // The loop was blocked: the timer is late, the limit is not.
      clock.costMs = 600_000;
      const error = await denial(breaker.run({ agent: 'child' }, () => 1));
      clock.costMs = 0;
      return error.limit;
    });
    expect(await stalled).toBe('time');
  });
});

describe('loops', () => {
  test('the same agent with the same task is refused at its first repeat', async () => {
    using breaker = new DelegationBreaker({ total: 100 });
    const error = await denial(
      breaker.run({ agent: 'A', task: { b: 1, a: [2] } }, () =>
        breaker.run({ agent: 'B', task: 'k' }, () =>
          breaker.run({ agent: 'A', task: { a: [2], b: 1 } }, () => 1),
        ),
      ),
    );
    expect(error.message).toMatchInlineSnapshot(
      `"A > B > A was refused by the limit "cycle": A already works on this very task, further up."`,
    );
  });

  test('two agents that hand it to and fro are stopped, others are not', async () => {
    using breaker = new DelegationBreaker({ total: 100, depth: 30, pingPong: 2 });
    const chain = (agents: string[]): Promise<unknown> => {
      const [agent, ...rest] = agents;
      return agent === undefined
        ? Promise.resolve('end')
        : breaker.run({ agent, task: rest.length }, () => chain(rest));
    };
    expect(await chain('ABAB'.split(''))).toBe('end');
    expect(await denial(chain('ABABA'.split('')))).toMatchObject({ limit: 'ping-pong' });
    expect(await chain('ABCABCABC'.split(''))).toBe('end');
    expect(await chain('AAAA'.split(''))).toBe('end');
  });

  test('an agent may be on a path only so often', async () => {
    using breaker = new DelegationBreaker({ total: 100, reentry: 2 });
    const again = (task: number): Promise<unknown> =>
      breaker.run({ agent: 'A', task }, () => again(task + 1));
    expect(await denial(again(0))).toMatchObject({ limit: 'reentry', path: ['A', 'A', 'A'] });
  });

  test('tasks are compared by fingerprint; one that cannot be read is a task of its own', async () => {
    expect(taskFingerprint(undefined)).toBe('');
    expect(taskFingerprint('x'.repeat(1000))).not.toBe(taskFingerprint(`${'x'.repeat(999)}y`));
    expect(taskFingerprint('x'.repeat(1_000_000)).length).toBeLessThan(40);
    expect(taskFingerprint(() => 1)).toBe(taskFingerprint(() => 2));
    const failed: string[] = [];
    using breaker = new DelegationBreaker({ total: 100 });
    breaker.on('hook-failed', ({ hook }) => failed.push(hook));
    const task = {
      get secret(): string {
        throw new Error('do not look');
      },
    };
    const deep = breaker.run({ agent: 'A', task }, () => breaker.run({ agent: 'A', task }, () => 'fine'));
    expect(await deep).toBe('fine');
    expect(failed).toEqual(['fingerprint', 'fingerprint']);
    using own = new DelegationBreaker({ total: 100, fingerprint: (value) => String(value).toLowerCase() });
    expect(
      await denial(own.run({ agent: 'A', task: 'X' }, () => own.run({ agent: 'A', task: 'x' }, () => 1))),
    ).toMatchObject({
      limit: 'cycle',
    });
  });
});
