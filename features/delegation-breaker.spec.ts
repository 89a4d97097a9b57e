import { setImmediate as turn } from 'node:timers/promises';
import { describeFeature, loadFeature } from '@amiceli/vitest-cucumber';
import { expect } from 'vitest';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { DelegationBreaker } from '@plimsoll/keep';
import type { DelegationDenied } from '@plimsoll/keep/delegation-breaker';

const feature = await loadFeature('./features/delegation-breaker.feature');

const denial = (run: Promise<unknown>): Promise<DelegationDenied> =>
  run.then(
    () => {
      throw new Error('it was admitted');
    },
    (error: unknown) => error as DelegationDenied,
  );

describeFeature(feature, ({ Scenario }) => {
  Scenario('An agent that delegates deeper and deeper is stopped', ({ Given, When, Then, And }) => {
    let breaker: DelegationBreaker;
    let error: DelegationDenied;
    Given('a breaker with a depth of 3', () => {
      breaker = new DelegationBreaker({ total: 100, depth: 3 });
    });
    When('an agent delegates to itself with a new task each time', async () => {
      const deeper = (task: number): Promise<unknown> =>
        breaker.run({ agent: 'planner', task }, () => deeper(task + 1));
      error = await denial(deeper(1));
    });
    Then('the fourth level is refused by the limit "depth"', () => {
      expect(error.limit).toBe('depth');
      expect(breaker.stats().started).toBe(3);
    });
    And('the refusal names the path "planner > planner > planner > planner"', () => {
      expect(error.message).toContain('planner > planner > planner > planner was refused');
    });
  });

  Scenario(
    'Two agents that send the same task round are stopped at the first repeat',
    ({ Given, When, Then }) => {
      let breaker: DelegationBreaker;
      let error: DelegationDenied;
      Given('a breaker with default limits', () => {
        breaker = new DelegationBreaker({ total: 100 });
      });
      When('"planner" asks "researcher", who asks "planner" to do the same', async () => {
        const ask = (agent: string, next: () => Promise<unknown>): Promise<unknown> =>
          breaker.run({ agent, task: 'find the figures' }, next);
        error = await denial(ask('planner', () => ask('researcher', () => ask('planner', () => turn()))));
      });
      Then('the second "planner" is refused by the limit "cycle"', () => {
        expect(error).toMatchObject({ limit: 'cycle', path: ['planner', 'researcher', 'planner'] });
      });
    },
  );

  Scenario('Parents that wait do not block their children', ({ Given, When, Then, And }) => {
    let breaker: DelegationBreaker;
    let running = 0;
    let most = 0;
    Given('a breaker that lets one delegation run at a time', () => {
      breaker = new DelegationBreaker({ total: 100, live: 1 });
    });
    When('a tree of 3 levels with 3 children each is run', async () => {
      const grow = (levels: number, path: string): Promise<unknown> =>
        breaker.run({ agent: `level ${levels}`, task: path }, async () => {
          most = Math.max(most, ++running);
          await turn();
          running--;
          if (levels > 0) await Promise.all([0, 1, 2].map((i) => grow(levels - 1, `${path}${i}`)));
        });
      await grow(3, 'root');
    });
    Then('all 40 delegations are done', () => expect(breaker.stats()).toMatchObject({ done: 40, live: 0 }));
    And('never more than one ran at once', () => expect(most).toBe(1));
  });

  Scenario('An agent that keeps failing is left alone and tried again', ({ Given, When, Then }) => {
    const clock = new FakeClock();
    let breaker: DelegationBreaker;
    Given('a breaker that opens after 2 failures for 30 seconds', () => {
      breaker = new DelegationBreaker({ total: 100, failures: { count: 2, pause: '30s' }, clock });
    });
    When('"search" fails twice', async () => {
      for (let i = 0; i < 2; i++)
        await expect(
          breaker.run({ agent: 'search' }, () => Promise.reject(new Error('down'))),
        ).rejects.toThrow('down');
    });
    Then('a delegation to "search" is refused by the limit "failures"', async () => {
      expect(await denial(breaker.run({ agent: 'search' }, () => 1))).toMatchObject({ limit: 'failures' });
    });
    When('30 seconds pass and "search" works again', async () => {
      clock.advance(30_000);
      await breaker.run({ agent: 'search' }, () => turn());
    });
    Then('delegations to "search" are admitted', async () => {
      expect(await breaker.run({ agent: 'search' }, () => 'found')).toBe('found');
    });
  });

  Scenario('A human is asked before it gets deep', ({ Given, When, Then }) => {
    const clock = new FakeClock();
    let breaker: DelegationBreaker;
    let error: Promise<DelegationDenied>;
    Given('a breaker that asks from depth 2 on, and nobody answers', () => {
      const ask = (): Promise<boolean> => new Promise(() => {});
      breaker = new DelegationBreaker({ total: 100, clock, approve: { depth: 2, ask } });
    });
    When('"planner" asks "deployer" and 5 minutes pass', async () => {
      error = denial(
        breaker.run({ agent: 'planner' }, () => breaker.run({ agent: 'deployer' }, () => 'deployed')),
      );
      await turn();
      clock.advance(300_000);
    });
    Then('"deployer" is refused by the limit "approval"', async () => {
      expect(await error).toMatchObject({ limit: 'approval', path: ['planner', 'deployer'] });
    });
  });

  Scenario('The user leaves', ({ Given, When, Then, And }) => {
    const breaker = new DelegationBreaker({ total: 100 });
    const told: string[] = [];
    let tree: Promise<unknown>;
    Given('a tree of delegations that run', () => {
      const work = (agent: string, next?: () => Promise<unknown>): Promise<unknown> =>
        breaker.run({ agent }, ({ signal }) => {
          signal.addEventListener('abort', () => told.push(agent));
          return next === undefined ? new Promise(() => {}) : next();
        });
      tree = work('planner', () => Promise.all([work('researcher'), work('writer')]));
    });
    When('the tree is cancelled', () => {
      expect(breaker.cancel(breaker.roots()[0]?.id as number, 'user left')).toBe(3);
    });
    Then('every delegation of it is told by its signal', () => {
      expect(told.toSorted()).toEqual(['planner', 'researcher', 'writer']);
    });
    And('the caller gets "PLM_DELEGATION_CANCELLED" at once', async () => {
      await expect(tree).rejects.toMatchObject({ code: 'PLM_DELEGATION_CANCELLED' });
    });
  });
});
