import { afterEach, expect, test } from 'vitest';
import { admission } from '@plimsoll/govern/internal/admission/admission-control';
import { DelegationBreaker } from './delegation-breaker.ts';
import { clampedPlaces, memoryClamp } from './memory-clamp.ts';

const control = admission;

afterEach(() => control().release());

const breaker = (): DelegationBreaker => new DelegationBreaker({ total: 100, depth: 8 });

/** A chain of delegations as deep as it gets; resolves with the depth it reached. */
async function dive(on: DelegationBreaker, depth = 1): Promise<number> {
  return on.run({ agent: `a${depth}`, task: depth }, () => dive(on, depth + 1).catch(() => depth));
}

test('without a clamp the bounds of the breaker hold alone', async () => {
  expect(memoryClamp()).toBeUndefined();
  expect(clampedPlaces(7)).toBe(7);
  expect(await dive(breaker())).toBe(8);
});

test('a clamp on depth refuses deeper delegations and says why', async () => {
  control().clamp({ depth: 3, reason: 'ladder.critical[1]' });
  const on = breaker();
  const denied: string[] = [];
  on.on('denied', ({ limit, why }) => denied.push(`${limit}: ${why}`));
  expect(await dive(on)).toBe(3);
  expect(denied).toEqual(['depth: the limit is 3 levels while memory is short (ladder.critical[1])']);
  control().release();
  expect(await dive(on)).toBe(8);
});

test('a clamp on fan-out bounds what one delegator has running', async () => {
  control().clamp({ fanOut: 2, reason: 'r' });
  const on = breaker();
  const outcomes = await on.run({ agent: 'planner' }, () =>
    Promise.allSettled(
      [1, 2, 3, 4].map((task) => on.run({ agent: 'writer', task }, () => Promise.resolve(task))),
    ),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  expect((outcomes[2] as PromiseRejectedResult).reason).toMatchObject({ limit: 'fan-out' });
});

test('a clamp on concurrency makes delegations wait their turn, and one place is always left', async () => {
  control().clamp({ concurrency: 0, reason: 'r' });
  const on = breaker();
  let running = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
  };
  await on.run({ agent: 'planner' }, () =>
    Promise.all([1, 2, 3].map((task) => on.run({ agent: 'writer', task }, work))),
  );
  expect(most).toBe(1);
});

test('a breaker that denies instead of waiting denies at the clamp', async () => {
  control().clamp({ concurrency: 1, reason: 'r' });
  const on = new DelegationBreaker({ total: 100, full: 'deny', live: 10 });
  const outcomes = await on.run({ agent: 'planner' }, () =>
    Promise.allSettled([1, 2].map((task) => on.run({ agent: 'writer', task }, () => Promise.resolve(task)))),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});
