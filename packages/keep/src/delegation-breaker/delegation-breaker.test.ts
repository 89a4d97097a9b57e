import { setImmediate as turn } from 'node:timers/promises';
import { open } from '@plimsoll/core';
import { FakeClock } from '@plimsoll/core/sense';
import { describe, expect, test } from 'vitest';
import { isCollected } from '../collect.fixture.ts';
import { keepers } from '@plimsoll/core/keeper';
import { DelegationBreaker } from './delegation-breaker.ts';
import type { Delegation } from './delegation.ts';
import type { DelegationDenied } from './events.ts';
import type { DelegationBreakerOptions } from './settings.ts';
import { taskFingerprint } from './task-fingerprint.ts';

const refused = (options: object): string => {
  try {
    return new DelegationBreaker(options as DelegationBreakerOptions).name;
  } catch (error) {
    return String(error);
  }
};
const denial = (run: Promise<unknown>): Promise<DelegationDenied> =>
  run.then(
    () => {
      throw new Error('it was admitted');
    },
    (error: unknown) => error as DelegationDenied,
  );
const hang = (): Promise<never> => new Promise(() => {});

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
        fix: let the delegating agent finish the task itself with what it has, or raise the limit when the tree is meant to be this large."
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

describe('agents that fail', () => {
  test('are left alone, probed once, and closed again by a success', async () => {
    const clock = new FakeClock();
    using breaker = new DelegationBreaker({ total: 100, failures: { count: 3, pause: '30s' }, clock });
    const events: string[] = [];
    for (const event of ['agent-open', 'agent-probe', 'agent-closed'] as const)
      breaker.on(event, ({ agent }) => events.push(`${event} ${agent}`));
    const fail = (): Promise<unknown> =>
      breaker.run({ agent: 'search' }, () => {
        throw new Error('down');
      });
    for (let i = 0; i < 3; i++) await expect(fail()).rejects.toThrow('down');
    expect(await denial(fail())).toMatchObject({
      limit: 'failures',
      message: expect.stringContaining('next try in 30 s') as string,
    });
    expect(await breaker.run({ agent: 'other' }, () => 'fine')).toBe('fine');
    expect(breaker.stats().openAgents).toEqual(['search']);
    clock.advance(30_000);
    const probe = breaker.run({ agent: 'search' }, () => turn('up'));
    expect(await denial(breaker.run({ agent: 'search' }, () => 1))).toMatchObject({
      message: expect.stringContaining('being tried by another') as string,
    });
    expect(await probe).toBe('up');
    expect(breaker.stats().openAgents).toEqual([]);
    expect(events).toEqual(['agent-open search', 'agent-probe search', 'agent-closed search']);
  });

  test('stay open when the probe fails, and are probed again when it was cancelled', async () => {
    const clock = new FakeClock();
    using breaker = new DelegationBreaker({ total: 100, failures: { count: 1, pause: 1000 }, clock });
    const fail = (): Promise<unknown> => breaker.run({ agent: 'a' }, () => Promise.reject(new Error('down')));
    await expect(fail()).rejects.toThrow('down');
    clock.advance(1000);
    await expect(fail()).rejects.toThrow('down');
    expect(await denial(fail())).toMatchObject({ limit: 'failures' });
    clock.advance(1000);
    const probe = breaker.run({ agent: 'a' }, () => turn());
    breaker.cancel(breaker.roots()[0]?.id as number);
    await expect(probe).rejects.toMatchObject({ code: 'PLM_DELEGATION_CANCELLED' });
    await turn();
    expect(await breaker.run({ agent: 'a' }, () => 'up')).toBe('up');
  });

  test('a refusal further down is no failure of the agents above it', async () => {
    using breaker = new DelegationBreaker({ total: 2, failures: { count: 1 } });
    const tree = (): Promise<unknown> =>
      breaker.run({ agent: 'a' }, () =>
        breaker.run({ agent: 'b' }, () => breaker.run({ agent: 'c' }, () => 1)),
      );
    expect(await denial(tree())).toMatchObject({ limit: 'total' });
    expect(await denial(tree())).toMatchObject({ limit: 'total' });
  });

  test('the memory of failures is bounded', async () => {
    using breaker = new DelegationBreaker({ total: 10, failures: { count: 1 } });
    for (let i = 0; i < 1100; i++)
      await breaker.run({ agent: `agent ${i}` }, () => Promise.reject(new Error('x'))).catch(() => {});
    expect(breaker.stats().openAgents).toHaveLength(1000);
    using deaf = new DelegationBreaker({ total: 10, failures: false });
    for (let i = 0; i < 9; i++)
      await deaf.run({ agent: 'a' }, () => Promise.reject(new Error('x'))).catch(() => {});
    expect(await deaf.run({ agent: 'a' }, () => 1)).toBe(1);
  });
});

describe('approval', () => {
  const at = (breaker: DelegationBreaker): Promise<unknown> =>
    breaker.run({ agent: 'root' }, () => breaker.run({ agent: 'deep', task: 'rm -rf' }, () => 'ran'));

  test('is asked from a depth on, with the path, and no means no', async () => {
    const asked: unknown[] = [];
    let answer = true;
    using breaker = new DelegationBreaker({
      total: 10,
      approve: {
        depth: 2,
        ask: ({ path, task }) => {
          asked.push([path, task]);
          return answer;
        },
      },
    });
    expect(await at(breaker)).toBe('ran');
    answer = false;
    expect(await denial(at(breaker))).toMatchObject({ limit: 'approval', path: ['root', 'deep'] });
    answer = 'yes' as unknown as boolean;
    expect(await denial(at(breaker))).toMatchObject({ limit: 'approval' });
    expect(asked[0]).toEqual([['root', 'deep'], 'rm -rf']);
    expect(breaker.stats()).toMatchObject({ unfinished: 0, live: 0 });
  });

  test('a hook that throws, and no answer in time, mean no; others go on meanwhile', async () => {
    const clock = new FakeClock();
    using breaker = new DelegationBreaker({
      total: 10,
      live: 1,
      clock,
      approve: {
        depth: 2,
        timeout: '1m',
        ask: ({ agent, signal }) => {
          signal.addEventListener('abort', () => {});
          if (agent === 'broken') throw new Error('no console');
          return agent === 'quick' ? true : hang();
        },
      },
    });
    const all = breaker.run({ agent: 'root' }, () =>
      Promise.allSettled(['broken', 'slow', 'quick'].map((agent) => breaker.run({ agent }, () => 'ran'))),
    );
    await turn();
    clock.advance(60_000);
    expect((await all).map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(breaker.stats()).toMatchObject({ unfinished: 0, live: 0, queued: 0 });
    expect(clock.waiting).toBe(0);
  });

  test('an answer after the cancel changes nothing', async () => {
    let answer: (value: boolean) => void = () => {};
    using breaker = new DelegationBreaker({
      total: 10,
      approve: { depth: 1, ask: () => new Promise((resolve) => (answer = resolve)) },
    });
    let ran = 0;
    const run = breaker.run({ agent: 'a' }, () => ran++);
    expect(breaker.cancel(1, new Error('user left'))).toBe(1);
    await expect(run).rejects.toThrow('cancelled (user left)');
    answer(true);
    await turn();
    expect(ran).toBe(0);
    expect(breaker.stats()).toMatchObject({ trees: 0, cancelled: 1 });
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
    await expect(outcome).rejects.toThrow('root and what was below it was cancelled (all)');
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
