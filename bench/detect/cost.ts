/** What a detector takes: time per event, the worst event, bytes of state, and bytes it gains over a long life. */
import { exposedGc } from '../../packages/core/src/detect/survivors/probe-gc.ts';
import { create } from './ours.ts';
import type { Meta, Rule } from './peers.ts';
import { drive } from './score.ts';
import type { Generator, Series } from './series.ts';

export interface Cost {
  readonly meanNs: number;
  readonly worstMs: number;
}

/** Runs whole series, alarm or not, several times; the first run warms the compiler up and is not counted. */
export function cost(generator: Generator, make: (meta: Meta) => Rule, runs: number): Cost[] {
  const set: Series[] = [];
  for (const family of generator.FAMILIES) set.push(generator.makeSeries(family, 'mid', 13));
  const costs: Cost[] = [];
  for (let run = 0; run <= runs; run++) {
    let events = 0;
    let worst = 0;
    const start = performance.now();
    for (const series of set) {
      const rule = make({ budget: series.budget });
      let before = performance.now();
      events += drive(series, rule, series.n, () => {
        const now = performance.now();
        worst = Math.max(worst, now - before);
        before = now;
        return false;
      });
    }
    const total = performance.now() - start;
    if (run > 0) costs.push({ meanNs: (total * 1e6) / events, worstMs: worst });
  }
  return costs;
}

function held(): number {
  const collect = exposedGc();
  for (let i = 0; i < 4; i++) collect?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Events of an endless, slightly growing life. */
function feed(rule: Rule, from: number, to: number): void {
  for (let i = from; i < to; i++) {
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

export function ownGrowth(events: number): number[] {
  const rule = create({ budget: 1000 });
  feed(rule, 0, 1e5);
  const before = held();
  feed(rule, 1e5, events);
  const grown = held() - before;
  feed(rule, events, events + 1);
  return [Math.max(0, grown)];
}
