/** What a detector takes: time per event, the worst event, bytes of state, and bytes it gains over a long life. */
import { exposedGc } from '../../packages/core/src/exposed-gc.ts';
import { measure } from '../../packages/core/src/meter/measure.ts';
import { create } from './adapter.mjs';
import type { Meta, Rule } from './peers.ts';
import { drive } from './score.ts';
import type { Generator, Series } from './series.ts';

export interface Cost {
  /** CPU time per event of each run; CPU and not wall time, because a busy machine takes turns. */
  readonly meanNs: readonly number[];
  /** The event that was slowest in its fastest run. */
  readonly worstMs: number;
}

/** Runs whole series, alarm or not, several times; the first run warms the compiler up and is not counted. */
export function cost(generator: Generator, make: (meta: Meta) => Rule, runs: number): Cost {
  const set: Series[] = generator.FAMILIES.map((family) => generator.makeSeries(family, 'mid', 13));
  const fastest: Float64Array[] = set.map(({ n }) => new Float64Array(n).fill(Number.POSITIVE_INFINITY));
  const meanNs: number[] = [];
  for (let run = 0; run <= runs; run++) {
    let events = 0;
    const start = process.cpuUsage().user;
    set.forEach((series, k) => {
      const times = fastest[k] as Float64Array;
      const rule = make({ budget: series.budget });
      let before = performance.now();
      events += drive(series, rule, series.n, (i) => {
        const now = performance.now();
        times[i] = Math.min(times[i] as number, now - before);
        before = now;
        return false;
      });
    });
    if (run > 0) meanNs.push((1000 * (process.cpuUsage().user - start)) / events);
  }
  return { meanNs, worstMs: Math.max(...fastest.map((times) => times.reduce((a, b) => Math.max(a, b), 0))) };
}

function held(): number {
  const collect = exposedGc();
  for (let i = 0; i < 4; i++) collect?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Events of an endless, slightly growing life. */
function feed(rule: Rule, from: number, to: number, offset = 0): void {
  for (let i = from + offset; i < to + offset; i++) {
    const t = i * 60;
    const load = 100 + 40 * Math.sin(t / 13_750);
    const common = { t, ext: 20, sess: load, req: i * 600, expl: 0 };
    if (i % 10 === 0) rule.gc({ ...common, floor: 200 + 0.1 * load + (i % 7) + i * 1e-5 });
    rule.sample({ ...common, heap: 300, heapTotal: 400, rss: 480 + (i % 5), retained: undefined });
  }
}

export function stateBytes(): number {
  feed(create({ budget: 1000 }), 0, 5000);
  const before = held();
  const many = Array.from({ length: 200 }, () => create({ budget: 1000 }));
  for (const one of many) feed(one, 0, 200);
  const each = (held() - before) / many.length;
  // Named after the measurement, so that the engine cannot drop them before it.
  if (many.length !== 200) throw new Error('unreachable');
  return each;
}

const windows = 5;
/** The life begins with counters beyond 31 bits: that a number becomes wider and takes a box is no growth. */
const wide = 4e6;

export interface OwnGrowth {
  /** Bytes the process gained in each fifth of a long life; compiled code comes and goes, so they have either sign. */
  readonly process: readonly number[];
  /** Bytes that everything reachable from the detector gained over that life, walked object by object. */
  readonly reachable: number;
}

export function ownGrowth(events: number): OwnGrowth {
  feed(create({ budget: 1000 }), 0, 3e5);
  const rule = create({ budget: 1000 }) as Rule & { readonly detector: object };
  const part = events / windows;
  feed(rule, 0, part / 4, wide);
  const young = mostReachable(rule, part / 4, part / 2);
  let before = held();
  const grown: number[] = [];
  for (let i = 0; i < windows; i++) {
    feed(rule, part * (i + 0.5), part * (i + 1.5), wide);
    const now = held();
    grown.push(now - before);
    before = now;
  }
  const end = part * (windows + 0.5);
  return { process: grown, reachable: mostReachable(rule, end, end + part / 4) - young };
}

const looks = 200;

/** The most that was reachable at two hundred looks: a field that holds a whole number just then takes no box, so one look is not enough. */
function mostReachable(rule: Rule & { readonly detector: object }, from: number, to: number): number {
  let most = 0;
  for (let i = 0; i < looks; i++) {
    feed(rule, from + ((to - from) * i) / looks, from + ((to - from) * (i + 1)) / looks, wide);
    most = Math.max(most, measure(rule.detector).bytes);
  }
  return most;
}
