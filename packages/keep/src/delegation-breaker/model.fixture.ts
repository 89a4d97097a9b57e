/** A model of the delegation breaker: random trees of agents under random limits; every promise of the breaker is checked as they run. */
import { setImmediate as turn } from 'node:timers/promises';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import fc from 'fast-check';
import { DelegationBreaker } from './delegation-breaker.ts';
import type { Delegation } from './delegation.ts';

interface Plan {
  readonly agent: number;
  readonly task: number;
  readonly ends: 'well' | 'throws' | 'late' | 'orphans';
  readonly order: 'parallel' | 'sequence';
  readonly pause: number;
  readonly children: readonly Plan[];
}

export interface World {
  readonly depth: number;
  readonly live: number;
  readonly livePerTree: number;
  readonly total: number;
  readonly full: 'wait' | 'deny';
  readonly cancelAfter: number;
  readonly plans: readonly Plan[];
}

const { plan } = fc.letrec<{ plan: Plan }>((tie) => ({
  plan: fc.record({
    agent: fc.nat(5),
    task: fc.nat(3),
    ends: fc.constantFrom<Plan['ends']>('well', 'well', 'well', 'throws', 'late', 'orphans'),
    order: fc.constantFrom<Plan['order']>('parallel', 'sequence'),
    pause: fc.nat(3),
    children: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constant([] as Plan[]),
      fc.array(tie('plan'), { maxLength: 4 }),
    ),
  }),
}));

export const world: fc.Arbitrary<World> = fc.record({
  depth: fc.integer({ min: 1, max: 6 }),
  live: fc.integer({ min: 1, max: 4 }),
  livePerTree: fc.integer({ min: 1, max: 4 }),
  total: fc.integer({ min: 1, max: 40 }),
  full: fc.constantFrom<World['full']>('wait', 'deny'),
  cancelAfter: fc.oneof({ weight: 3, arbitrary: fc.constant(-1) }, fc.nat(20)),
  plans: fc.array(plan, { minLength: 1, maxLength: 3 }),
});

/** Runs one world; throws at the first broken promise. Returns the number of delegations tried. */
export async function live(world: World): Promise<number> {
  const breaker = new DelegationBreaker({ ...world, failures: false, clock: new FakeClock() });
  const { depth, live, livePerTree, total, cancelAfter } = world;
  // More than `live` may run for a moment when a delegation goes on after one below it was cancelled or forgot its own.
  const isStrict = cancelAfter < 0 && !JSON.stringify(world.plans).includes('orphans');
  const spawned = new Map<unknown, number>();
  let tried = 0;
  let settled = 0;
  const path = (at: Delegation): string => at.path.join('>');

  const run = async (plan: Plan, above: string[]): Promise<void> => {
    tried++;
    const agent = `agent ${plan.agent}`;
    const key = `${agent} ${plan.task}`;
    try {
      await breaker.run({ agent, task: `task ${plan.task}` }, async (self) => {
        if (self.depth > depth) throw new Error(`broken: depth ${self.depth}`);
        if (above.includes(key)) throw new Error(`broken: a cycle was admitted at ${path(self)}`);
        const count = (spawned.get(self.tree) ?? 0) + 1;
        spawned.set(self.tree, count);
        if (count > total) throw new Error(`broken: ${count} of ${total} admitted`);
        check(self);
        for (let i = 0; i < plan.pause; i++) await Promise.resolve();
        const below = plan.children.map((child) => () => run(child, [...above, key]));
        if (plan.ends === 'orphans') for (const start of below) void start();
        else if (plan.order === 'parallel') await Promise.all(below.map((start) => start()));
        else for (const start of below) await start();
        check(self);
        if (plan.ends === 'late') await turn();
        if (plan.ends === 'throws') throw new Error('the agent failed');
      });
    } catch (error) {
      if ((error as Error).message.startsWith('broken')) throw error;
    } finally {
      settled++;
    }
  };
  const check = (self: Delegation): void => {
    const { live: running } = breaker.stats();
    if (isStrict && running > live) throw new Error(`broken: ${running} of ${live} run`);
    if (isStrict && self.tree.live > livePerTree)
      throw new Error(`broken: ${self.tree.live} of ${livePerTree} of a tree run`);
    if (self.tree.live < 0) throw new Error('broken: less than nobody runs');
  };

  const runs = world.plans.map((plan) => run(plan, []));
  for (let i = 0; i < cancelAfter; i++) await Promise.resolve();
  if (cancelAfter >= 0) for (const { id } of breaker.roots()) breaker.cancel(id, 'stop');
  await Promise.all(runs);
  for (let i = 0; i < 200 && breaker.stats().unfinished > 0; i++) await turn();
  await turn();
  if (settled !== tried) throw new Error(`broken: ${settled} of ${tried} came to an end`);
  const { trees, unfinished, queued, bytes, started, done, failed, cancelled, denied } = breaker.stats();
  if (trees + unfinished + queued + bytes + breaker.stats().live !== 0)
    throw new Error(`broken: left over ${JSON.stringify(breaker.stats())}`);
  if (done + failed + cancelled + denied !== tried || started > tried)
    throw new Error(`broken: counts of ${tried} ${JSON.stringify(breaker.stats())}`);
  breaker[Symbol.dispose]();
  return tried;
}
