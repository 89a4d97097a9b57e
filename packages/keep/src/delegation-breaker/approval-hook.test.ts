import { setImmediate as turn } from 'node:timers/promises';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { describe, expect, test } from 'vitest';
import { DelegationBreaker } from './delegation-breaker.ts';
import { denial, hang } from './breaker.fixture.ts';

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
