/**
 * More families that only judge, written after those of `kept-families.ts` had judged for a while: long sessions that grow, caches that
 * follow the load late, stages of a canary, tenants that come and go, and leaks in the same surroundings. Do not look at single series.
 */
import { clamp, leakLine, smooth } from './family.ts';
import type { Family } from './family.ts';
import type { Draw } from './family-series.ts';

/** A dozen sessions of about a day that grow with their age and let go of everything when they end. */
function agingSessions(draw: Draw, hours: number): (h: number) => number {
  const gain = draw.between(0.01, 0.04);
  const lives = Array.from({ length: 12 }, () => {
    const ends = [draw.between(0, 24)];
    while ((ends.at(-1) as number) < hours) ends.push((ends.at(-1) as number) + draw.between(10, 30));
    return ends;
  });
  const age = (ends: readonly number[], h: number): number =>
    h - Math.max(0, ...ends.filter((at) => at <= h));
  return (h) => lives.reduce((sum, ends) => sum + (gain * age(ends, h)) / 12, 0);
}

/** Traffic doubles or so within an hour, and a cache with a time to live of a day follows it. */
function lateCache(draw: Draw, hours: number): Required<Pick<ReturnType<Family['shape']>, 'heap' | 'load'>> {
  const at = draw.between(0.15, 0.6) * hours;
  const more = draw.between(0.5, 1.5);
  const tau = draw.between(6, 16);
  const gain = draw.between(0.1, 0.35);
  return {
    load: (h) => 1 + more * clamp(h - at),
    heap: (h) => gain * more * (h > at ? 1 - Math.exp((at - h) / tau) : 0),
  };
}

/** A canary takes more and more of the traffic, in stages; what it holds per user follows within hours. */
function canary(draw: Draw, hours: number): Required<Pick<ReturnType<Family['shape']>, 'heap' | 'load'>> {
  const from = draw.between(0.1, 0.4) * hours;
  const stage = draw.between(2, 8);
  const gain = draw.between(0.1, 0.5);
  const share = (h: number): number =>
    [0.05, 0.2, 0.25, 0.5].reduce((sum, part, k) => sum + part * smooth((h - from - k * stage) / 2), 0);
  const start = draw.between(0.2, 0.6);
  return { load: (h) => start + (1 - start) * share(h), heap: (h) => gain * share(h) };
}

/** Tenants come and go at random; each holds a table while it is here. */
function tenantChurn(draw: Draw, hours: number): (h: number) => number {
  const size = draw.between(0.01, 0.04);
  const stays = draw.between(6, 30);
  const tenants = Array.from({ length: Math.ceil((10 * (hours + 3 * stays)) / stays) }, () => {
    const from = draw.between(-3 * stays, hours);
    return { from, until: from - stays * Math.log(draw.between(1e-6, 1)) };
  });
  return (h) => tenants.reduce((sum, { from, until }) => sum + (h >= from && h < until ? size : 0), 0);
}

/** A report's working set grows for a day or two and is let go of. */
function reportRun(draw: Draw, hours: number): (h: number) => number {
  const from = draw.between(0.1, 0.6) * hours;
  const takes = draw.between(3, 14);
  const gain = draw.between(0.05, 0.3);
  return (h) => (h < from + takes ? gain * clamp((h - from) / takes) : 0);
}

/** Every working day some more users than the day before, up to a plateau; what they hold comes and goes with them. */
function risingWeek(draw: Draw, hours: number): Required<Pick<ReturnType<Family['shape']>, 'heap' | 'load'>> {
  const until = draw.between(0.3, 0.8) * hours;
  const more = draw.between(0.3, 1.2);
  const gain = draw.between(0.1, 0.5);
  const users = (h: number): number =>
    (1 + more * clamp(h / until)) * (0.7 - 0.3 * Math.cos((2 * Math.PI * h) / 24));
  return { load: users, heap: (h) => gain * users(h) };
}

export const freshFamilies: Readonly<Record<string, Family>> = {
  agingSessions: { leak: false, shape: (draw, hours) => ({ heap: agingSessions(draw, hours) }) },
  lateCache: { leak: false, shape: lateCache },
  canary: { leak: false, shape: canary },
  tenantChurn: { leak: false, shape: (draw, hours) => ({ heap: tenantChurn(draw, hours) }) },
  reportRun: { leak: false, shape: (draw, hours) => ({ heap: reportRun(draw, hours) }) },
  risingWeek: { leak: false, shape: risingWeek },
  /** A bounded table of query shapes that fills at a steady pace from the start on. */
  queryShapes: {
    leak: false,
    shape: (draw, hours) => {
      const until = draw.between(2, 0.12 * hours);
      const gain = draw.between(0.05, 0.3);
      return { heap: (h) => gain * clamp(h / until) };
    },
  },
  /** A replica takes over: its tables are read within some hours, at a steady pace. */
  takeOver: {
    leak: false,
    shape: (draw, hours) => {
      const at = draw.between(0.1, 0.8) * hours;
      const takes = draw.between(1, 6);
      const gain = draw.between(0.1, 0.8);
      return { heap: (h) => gain * clamp((h - at) / takes), load: (h) => (h < at ? 0.3 : 1) };
    },
  },
  agingSessionsLeak: {
    leak: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours, 0.01);
      return { heap: agingSessions(draw, hours), onset, leaked: (h) => rate * (h - onset) };
    },
  },
  lateCacheLeak: {
    leak: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours, 0.01);
      return { ...lateCache(draw, hours), onset, leaked: (h) => rate * (h - onset) };
    },
  },
  /** The leak is in the code that the canary brings, so that it follows the requests that take it. */
  canaryLeak: {
    leak: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours, 0.01);
      return { ...canary(draw, hours), onset, perLoad: rate };
    },
  },
  tenantChurnLeak: {
    leak: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours, 0.01);
      return { heap: tenantChurn(draw, hours), onset, leaked: (h) => rate * (h - onset) };
    },
  },
  /** A deployment that holds more and leaks from then on. */
  deployThatLeaks: {
    leak: true,
    shape: (draw, hours) => {
      const onset = draw.between(0.1, 0.4) * hours;
      const rate = draw.log(Math.max(0.005, 0.5 / hours), 0.04);
      const gain = draw.between(0.03, 0.3);
      return { heap: (h) => (h >= onset ? gain : 0), onset, leaked: (h) => rate * (h - onset) };
    },
  },
  /** Half of the callers get a repaired release later, so that the pace halves. */
  halfRepaired: {
    leak: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours, 0.01);
      const repair = onset + draw.between(0.3, 0.7) * (hours - onset);
      return { onset, leaked: (h) => rate * (h - onset - Math.max(0, h - repair) / 2) };
    },
  },
  /** A leak per request of a server that is nearly idle at first. */
  quietThenBusy: {
    leak: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours, 0.01);
      const busy = draw.between(0.1, 0.4) * hours;
      return { load: (h) => 0.15 + 0.85 * clamp((h - busy) / 3), onset, perLoad: rate };
    },
  },
  risingWeekLeak: {
    leak: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours, 0.01);
      return { ...risingWeek(draw, hours), onset, perLoad: rate };
    },
  },
};
