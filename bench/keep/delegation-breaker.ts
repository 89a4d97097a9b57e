import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { DelegationBreaker } from '@plimsoll/keep';
import { bulkhead, circuitBreaker, ConsecutiveBreaker, handleAll, wrap } from 'cockatiel';
import pLimit from 'p-limit';
import { cpuRounds, type Rounds } from '../paired.ts';
import { row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';

const job = async (x: number): Promise<number> => x + 1;

/** The rows of the delegation breaker. */
export const rows: Benchmark = async ({ quick, log }) => {
  log('delegation breaker ...');
  return [...(await overhead(quick ? 4 : 25)), await first(quick ? 4 : 25), ...(await nesting())];
};

/** Enough for V8 to have compiled all of them before the first round that counts. */
const count = 20_000;

async function overhead(rounds: number): Promise<Row[]> {
  const breaker = new DelegationBreaker({ total: 1e9, depth: 20, live: 64 });
  const guarded = wrap(
    circuitBreaker(handleAll, { halfOpenAfter: 1000, breaker: new ConsecutiveBreaker(5) }),
    bulkhead(10, 10),
  );
  const limit = pLimit(10);
  const each = (run: (x: number) => Promise<number>) => async () => {
    for (let x = 0; x < count; x++) await run(x);
  };
  const tasks = Array.from({ length: 8 }, (_, i) => `task ${i}`);
  let timed: Rounds<'bare' | 'ours' | 'cockatiel' | 'pLimit'> | undefined;
  const nest = (levels: number): Promise<unknown> =>
    levels > 0
      ? breaker.run({ agent: `agent ${levels}`, task: levels }, () => nest(levels - 1))
      : cpuRounds(rounds, count, {
          bare: each(job),
          ours: each((x) => breaker.run({ agent: 'worker', task: tasks[x & 7] }, () => job(x))),
          cockatiel: each((x) => guarded.execute(() => job(x))),
          pLimit: each((x) => limit(() => job(x))),
        }).then((samples) => {
          timed = samples;
        });
  await nest(7);
  breaker[Symbol.dispose]();
  const { bare, ours, cockatiel, pLimit: limited } = timed as NonNullable<typeof timed>;
  const metric = 'breaker: one delegation at depth 8, with its await';
  return [
    row({
      metric,
      unit: 'ns',
      samples: ours,
      peer: { name: 'p-limit', samples: limited, isPaired: true },
      goal: { atMost: 1 },
    }),
    row({
      metric,
      unit: 'ns',
      samples: ours,
      peer: { name: 'cockatiel breaker + bulkhead', samples: cockatiel, isPaired: true },
    }),
    row({ metric: 'breaker: a bare await of the same job', unit: 'ns', samples: bare }),
  ];
}

/** The first delegation of a tree, each with a task of its own: what a server does for every request. */
async function first(rounds: number): Promise<Row> {
  const breaker = new DelegationBreaker({ total: 100, live: 64 });
  const limit = pLimit(64);
  const ids = Array.from({ length: count }, () => randomUUID());
  const { ours, theirs } = await cpuRounds(rounds, count, {
    ours: async () => {
      for (const [x, id] of ids.entries())
        await breaker.run({ agent: 'worker', task: `answer ${id}` }, () => job(x));
    },
    theirs: async () => {
      for (const x of ids.keys()) await limit(() => job(x));
    },
  });
  breaker[Symbol.dispose]();
  return row({
    metric: 'breaker: one delegation at depth 1, each task new',
    unit: 'ns',
    samples: ours,
    peer: { name: 'p-limit', samples: theirs, isPaired: true },
    goal: { atMost: 1 },
  });
}

/** Levels of a chain that come to an end when only one may run at a time. */
async function nesting(): Promise<Row[]> {
  const depth = 5;
  const chain = async (
    run: (level: number, next: () => Promise<number>) => Promise<number>,
  ): Promise<number> => {
    const down = (level: number): Promise<number> =>
      level > depth ? Promise.resolve(0) : run(level, async () => 1 + (await down(level + 1)));
    return Promise.race([down(1), wait(200, 0)]);
  };
  const breaker = new DelegationBreaker({ total: 100, live: 1 });
  const limit = pLimit(1);
  const ours = await chain((level, next) => breaker.run({ agent: `a${level}` }, next));
  const theirs = await chain((_, next) => limit(next));
  breaker[Symbol.dispose]();
  return [
    row({
      metric: 'breaker: levels of 5 finished with a limit of one running',
      unit: 'levels',
      samples: [ours],
      peer: { name: 'p-limit, shared by parent and child', samples: [theirs] },
      goal: { of: 'ours', atLeast: 5 },
    }),
  ];
}
