/**
 * What one governed tick costs with 10,000 open scopes, each with a budget: `npm run bench -- govern`.
 * Every round runs the same ticks. The goal is judged on the fastest round of each tick, because on a busy machine the wall
 * clock also counts the time slices of others; the plain p99 stands beside it.
 */
import { open } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import type { Scope } from '@plimsoll/core';
import { Ladder } from '@plimsoll/govern/internal/ladder/ladder';
import type { GovernedReading } from '@plimsoll/govern/internal/level/process-levels';
import { Governor } from '@plimsoll/govern/internal/level/governor';
import { admission } from '@plimsoll/govern/internal/admission/admission-control';
import { parsePolicy } from '@plimsoll/govern/internal/policy/parse';
import { systemClock } from '@plimsoll/core/internal/sense/clock';
import type { Benchmark, Row } from '../row.ts';
import { quantile, row } from '../row.ts';

const MiB = 1024 ** 2;
const scopes = 10_000;

const text = `apiVersion: plimsoll/v1
signal: { grace: 0s }
budgets:
  agents: { "*": { max: 512MiB }, "research-*": { max: 1GiB } }
  sessions: { "*": { max: 8MiB }, "vip-*": { max: 16MiB } }
`;
const policy = parsePolicy(text, 'bench.yaml');

/** Levels that rise at once, and rungs that are run again twice a minute for every scope and all the time for the process. */
const acting = parsePolicy(
  `${text}mode: enforce
levels: { warning: { for: 0s }, critical: { for: 0s }, emergency: { for: 0s } }
ladder:
  warning: [ notify, keepers.shrink ]
  critical: [ delegation.clamp: { depth: 2 }, admit.throttle ]
  emergency: [ admit.refuse ]
`,
  'bench.yaml',
);

interface Case {
  readonly name: string;
  /** Bytes of the i-th session. */
  readonly held: (i: number) => number;
  readonly goalMs: number;
  /** The policy; without a ladder when absent. */
  readonly policy?: typeof policy;
  /** Live bytes of the process. */
  readonly live?: number;
}

const cases: readonly Case[] = [
  { name: 'all calm', held: () => MiB, goalMs: 1 },
  { name: '100 near their budget', held: (i) => (i % 100 === 0 ? 6 * MiB : MiB), goalMs: 1 },
  { name: 'all near, 1,024 watched', held: () => 6 * MiB, goalMs: 1 },
  {
    name: 'all near, process at emergency, a ladder at work for 1,024 scopes',
    held: () => 6 * MiB,
    goalMs: 1,
    policy: acting,
    live: 1580 * MiB,
  },
];

const benchmark: Benchmark = async ({ quick, log }) => {
  const rounds = quick ? 2 : 7;
  const ticks = quick ? 300 : 1100;
  const rows: Row[] = [];
  for (const each of cases) {
    const { name, goalMs } = each;
    log(`${name}: ${rounds} rounds of ${ticks} ticks, ${scopes} scopes`);
    const all: number[][] = [];
    const allocated: number[] = [];
    for (let i = 0; i < rounds; i++) {
      const measured = await round(each, ticks);
      all.push(measured.ms);
      allocated.push(measured.bytesPerTick);
    }
    const fastest = (all[0] as number[]).map((_, i) => Math.min(...all.map((ms) => ms[i] as number)));
    const at = (q: number): number[] => all.map((ms) => quantile(ms, q));
    rows.push(row({ metric: `tick p50, ${name}`, unit: 'ms', samples: at(0.5) }));
    rows.push(
      row({
        metric: `tick p99, fastest of ${rounds}, ${name}`,
        unit: 'ms',
        samples: [quantile(fastest, 0.99)],
        goal: { atMost: goalMs },
      }),
    );
    rows.push(row({ metric: `tick p99 as it came, ${name}`, unit: 'ms', samples: at(0.99) }));
    rows.push(row({ metric: `garbage per tick, ${name}`, unit: 'B', samples: allocated }));
  }
  rows.push(
    row({ metric: 'added to open + close of a budgeted scope', unit: 'ns', samples: openCosts(rounds) }),
  );
  return rows;
};

async function round(
  { held, policy: own = policy, live = 90 * MiB }: Case,
  ticks: number,
): Promise<{ ms: number[]; bytesPerTick: number }> {
  const opened: Scope[] = [];
  const agents = Array.from({ length: 10 }, (_, i) => open('agent', `agent-${i}`));
  for (let i = 0; i < scopes; i++) {
    const session = open('session', String(i), { parent: agents[i % agents.length] as Scope });
    session.charge(held(i));
    opened.push(session);
  }
  const governor = new Governor({
    policy: own,
    scopes: () => roster.open,
    ladder: new Ladder({ policy: own, clock: systemClock, levers: { admission: admission() } }),
  });
  governor.start();
  const ms: number[] = [];
  for (let i = 0; i < ticks; i++) {
    const next = reading(i, live);
    const startMs = performance.now();
    governor.tick(next);
    ms.push(performance.now() - startMs);
    if (i % 50 === 0) await new Promise(setImmediate);
  }
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 20; i++) governor.tick(reading(i, live));
  const bytesPerTick = Math.max(0, process.memoryUsage().heapUsed - before) / 20;
  governor.stop();
  await Promise.all(agents.map((agent) => agent.close()));
  return { ms: ms.slice(100), bytesPerTick };
}

function reading(i: number, live: number): GovernedReading {
  return {
    at: i,
    heapUsed: 100 * MiB,
    floor: live,
    floorAgeMs: 1000,
    majors: 1,
    rss: 200 * MiB,
    pressures: [
      { source: 'heap', used: live, limit: 1600 * MiB },
      { source: 'cgroup', used: 200 * MiB, limit: 2048 * MiB },
    ],
    lateMs: 0,
  };
}

/** Open + close with a governor that follows scopes, less the same without; interleaved. */
function openCosts(rounds: number): number[] {
  const once = (): number => {
    const startMs = performance.now();
    for (let i = 0; i < 20_000; i++) void open('session', 's').close();
    return ((performance.now() - startMs) * 1e6) / 20_000;
  };
  once();
  return Array.from({ length: rounds * 2 }, () => {
    const without = once();
    const governor = new Governor({ policy });
    governor.start();
    const governed = once();
    governor.stop();
    return governed - without;
  });
}

export default benchmark;
