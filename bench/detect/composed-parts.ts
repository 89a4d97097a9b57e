/** What composed lives are made of: loads, harmless parts and leaks, each drawn by its weight. Sizes are shares of the base level, times hours. */
import { clamp, smooth } from './family.ts';
import type { Draw, Shape } from './family-series.ts';

export type Curve = (h: number) => number;
/** A kind of part, how often it is drawn against the others, and how its parameters are drawn. Results are shares of the base level. */
export type Kinds<T> = Readonly<
  Record<string, readonly [weight: number, make: (draw: Draw, hours: number) => T]>
>;

const turn = 2 * Math.PI;
const daily = (h: number): number => Math.cos((turn * h) / 24);
const logistic = (x: number): number => 1 / (1 + Math.exp(-x));
export const sum =
  (curves: readonly Curve[]): Curve =>
  (h) =>
    curves.reduce((total, one) => total + one(h), 0);
export const whole = (draw: Draw, least: number, most: number): number =>
  Math.floor(draw.between(least, most + 1));
export const times = (count: number, make: () => number): number[] => Array.from({ length: count }, make);

/** Ways from 0 to 1 that end: `x` is 0 at the begin and 1 at the end of what is visible of it. */
const ramps: Readonly<Record<string, (draw: Draw) => Curve>> = {
  straight: () => clamp,
  smooth: () => smooth,
  sigmoid: () => (x) => logistic(10 * (x - 0.5)),
  quickStart: () => (x) => Math.exp(-Math.exp(-8 * (x - 0.25))),
  skewed: (draw) => {
    const skew = draw.log(0.3, 3);
    return (x) => (1 + skew * Math.exp(-10 * (x - 0.5))) ** (-1 / skew);
  },
  faster: (draw) => {
    const power = draw.between(1.3, 2.5);
    return (x) => clamp(x) ** power;
  },
  slower: (draw) => {
    const power = draw.between(0.4, 0.8);
    return (x) => clamp(x) ** power;
  },
};

function ramp(draw: Draw, hours: number): Curve {
  const takes = draw.log(1, 0.3 * hours);
  const from = draw.between(0.03, 0.85) * (hours - takes);
  const kinds = Object.values(ramps);
  const shape = (kinds[whole(draw, 0, kinds.length - 1)] as (typeof kinds)[number])(draw);
  return (h) => shape((h - from) / takes);
}

const fills: Kinds<Curve> = {
  exponential: [
    2,
    (draw, hours) => {
      const tau = draw.log(0.5, 0.12 * hours);
      return (h) => 1 - Math.exp(-h / tau);
    },
  ],
  straight: [
    1,
    (draw, hours) => {
      const until = draw.log(1, 0.15 * hours);
      return (h) => clamp(h / until);
    },
  ],
  hyperbolic: [
    1,
    (draw, hours) => {
      const half = draw.log(0.5, 0.06 * hours);
      return (h) => h / (h + half);
    },
  ],
  stretched: [
    1,
    (draw, hours) => {
      const tau = draw.log(0.5, 0.08 * hours);
      const power = draw.between(0.45, 0.9);
      return (h) => 1 - Math.exp(-((h / tau) ** power));
    },
  ],
  logarithmic: [
    1,
    (draw, hours) => {
      const early = draw.log(0.3, 0.04 * hours);
      return (h) => Math.log1p(h / early) / Math.log1p(hours / early);
    },
  ],
};

function stairs(draw: Draw, hours: number, count: number, gain: () => number): Curve {
  const steps = times(count, () => draw.between(0.05, 0.85) * hours).map((at) => ({ at, size: gain() }));
  return sum(
    steps.map(
      ({ at, size }) =>
        (h) =>
          h >= at ? size : 0,
    ),
  );
}

/** A buffer that grows and is written out, at even or uneven times. */
function flushed(draw: Draw, hours: number): Curve {
  const every = draw.log(1.5, 36);
  const uneven = draw.chance(0.5) ? draw.between(0.1, 0.9) : 0;
  const left = draw.chance(0.3) ? draw.between(0.1, 0.6) : 0;
  const ends = [-draw.between(0, every)];
  while ((ends.at(-1) as number) < hours)
    ends.push((ends.at(-1) as number) + every * (1 + draw.between(-uneven, uneven)));
  return (h) => left + (1 - left) * ((h - Math.max(...ends.filter((at) => at <= h))) / every);
}

/** What a few long sessions hold: it grows with their age and goes when they end. */
function longSessions(draw: Draw, hours: number): Curve {
  const count = whole(draw, 3, 20);
  const lasts = draw.between(4, 30);
  const lives = Array.from({ length: count }, () => {
    const ends = [-draw.between(0, lasts)];
    while ((ends.at(-1) as number) < hours)
      ends.push((ends.at(-1) as number) + lasts * draw.between(0.5, 1.5));
    return ends;
  });
  return (h) =>
    lives.reduce((total, ends) => total + h - Math.max(...ends.filter((at) => at <= h)), 0) / count / lasts;
}

/** Tenants that come and go at random; each holds a table while it is here. */
function tenants(draw: Draw, hours: number): Curve {
  const stays = draw.between(4, 30);
  const usual = whole(draw, 4, 20);
  const all = times(Math.ceil((usual * (hours + 3 * stays)) / stays), () =>
    draw.between(-3 * stays, hours),
  ).map((from) => ({ from, until: from - stays * Math.log(draw.between(1e-6, 1)) }));
  return (h) => all.filter(({ from, until }) => h >= from && h < until).length / usual;
}

/** A level that follows a curve late, e.g. entries with a time to live. */
function late(curve: Curve, tau: number, hours: number): Curve {
  const rows = new Float64Array(hours * 4 + 1);
  for (let i = 0, held = curve(0); i < rows.length; i++)
    rows[i] = held += (curve(i / 4) - held) * (1 - Math.exp(-0.25 / tau));
  return (h) => rows[Math.floor(h * 4)] as number;
}

export const loads: Kinds<Curve> = {
  steady: [3, () => () => 1],
  daily: [
    3,
    (draw) => {
      const [swing, phase, quiet] = [
        draw.between(0.2, 0.8),
        draw.between(0, 24),
        draw.chance(0.4) ? draw.between(0.3, 0.8) : 1,
      ];
      const first = draw.between(0, 7);
      return (h) => (1 - swing * daily(h + phase)) * ((h / 24 + first) % 7 >= 5 ? quiet : 1);
    },
  ],
  office: [
    1,
    (draw) => {
      const [rest, from, until] = [draw.between(0.1, 0.4), draw.between(6, 10), draw.between(16, 22)];
      return (h) => rest + (h % 24 >= from && h % 24 < until ? 1 : 0);
    },
  ],
  week: [
    1,
    (draw) => {
      const days = times(7, () => draw.between(0.4, 1.3));
      return (h) => (days[Math.floor(h / 24) % 7] as number) * (1 - 0.4 * daily(h));
    },
  ],
  step: [
    1,
    (draw, hours) => {
      const [at, to, takes] = [draw.between(0.1, 0.8) * hours, draw.log(0.4, 2.5), draw.log(0.2, 3)];
      return (h) => 1 + (to - 1) * clamp((h - at) / takes);
    },
  ],
  onboarding: [
    1,
    (draw, hours) => {
      const [rise, more] = [ramp(draw, hours), draw.between(0.3, 1.5)];
      return (h) => 1 + more * rise(h);
    },
  ],
  launches: [
    0.7,
    (draw, hours) => {
      const all = times(whole(draw, 1, 4), () => draw.between(0.05, 0.9) * hours).map((at) => ({
        at,
        more: draw.between(0.5, 2),
        fades: draw.log(1, 12),
      }));
      return (h) =>
        all.reduce(
          (total, { at, more, fades }) => total + (h >= at ? more * Math.exp((at - h) / fades) : 0),
          1,
        );
    },
  ],
  decline: [
    0.7,
    (draw, hours) => {
      const left = draw.between(0.3, 0.7);
      return (h) => 1 - ((1 - left) * h) / hours;
    },
  ],
  risingDays: [
    0.7,
    (draw, hours) => {
      const [until, more] = [draw.between(0.3, 0.9) * hours, draw.between(0.3, 1.2)];
      return (h) => (1 + more * clamp(h / until)) * (1 - 0.4 * daily(h));
    },
  ],
  drifting: [
    0.7,
    (draw, hours) => {
      const [spread, tau] = [draw.between(0.1, 0.3), draw.log(4, 30)];
      const kept = Math.exp(-1 / tau);
      const rows = [0];
      for (let h = 1; h <= hours + 1; h++)
        rows.push(kept * (rows[h - 1] as number) + Math.sqrt(1 - kept * kept) * draw.normal());
      return (h) => {
        const at = Math.floor(h);
        const from = rows[at] as number;
        return Math.exp(spread * (from + (h - at) * ((rows[at + 1] as number) - from)));
      };
    },
  ],
};

/** Harmless parts, given the load that they may follow. */
export const parts: Kinds<(load: Curve) => Shape> = {
  ramp: [
    2.2,
    (draw, hours) => {
      const [rise, gain] = [ramp(draw, hours), draw.log(0.04, 0.7)];
      return () => ({ heap: (h) => gain * rise(h) });
    },
  ],
  ramps: [
    0.6,
    (draw, hours) => {
      const all = times(whole(draw, 2, 4), () => draw.log(0.02, 0.2)).map((gain) => ({
        gain,
        rise: ramp(draw, hours),
      }));
      return () => ({ heap: (h) => all.reduce((total, { gain, rise }) => total + gain * rise(h), 0) });
    },
  ],
  rampDropped: [
    0.5,
    (draw, hours) => {
      const [rise, gain, drop, share] = [
        ramp(draw, hours),
        draw.log(0.05, 0.5),
        draw.between(0.5, 0.95) * hours,
        draw.between(0.4, 1),
      ];
      return () => ({ heap: (h) => gain * (rise(h) - (h > drop ? share * rise(drop) : 0)) });
    },
  ],
  fill: [
    1.6,
    (draw, hours) => {
      const [fill, gain] = [pick(draw, fills, hours)[1], draw.log(0.05, 0.8)];
      return () => ({ heap: (h) => gain * fill(h) });
    },
  ],
  lateFill: [
    0.8,
    (draw, hours) => {
      const [fill, gain, from] = [
        pick(draw, fills, 0.6 * hours)[1],
        draw.log(0.05, 0.5),
        draw.between(0.05, 0.6) * hours,
      ];
      return () => ({ heap: (h) => (h > from ? gain * fill(h - from) : 0) });
    },
  ],
  steps: [
    1,
    (draw, hours) => {
      const so = stairs(draw, hours, whole(draw, 1, 5), () => draw.log(0.03, 0.3));
      return () => ({ heap: so });
    },
  ],
  customers: [
    0.6,
    (draw, hours) => {
      const so = stairs(draw, 0.6 * hours, whole(draw, 5, 14), () => draw.log(0.01, 0.08));
      return () => ({ heap: so });
    },
  ],
  flushed: [
    0.9,
    (draw, hours) => {
      const [so, gain] = [flushed(draw, hours), draw.log(0.03, 0.3)];
      return () => ({ heap: (h) => gain * so(h) });
    },
  ],
  nightly: [
    0.9,
    (draw) => {
      const [at, stays, gain] = [draw.between(0, 24), draw.log(0.3, 7), draw.log(0.05, 0.5)];
      return () => ({ heap: (h) => ((h + at) % 24 < stays ? gain : 0) });
    },
  ],
  wave: [
    0.6,
    (draw) => {
      const [period, phase, gain] = [
        draw.chance(0.4) ? 24 : draw.between(30, 168),
        draw.between(0, turn),
        draw.log(0.02, 0.2),
      ];
      return () => ({ heap: (h) => (gain / 2) * (1 + Math.sin((turn * h) / period + phase)) });
    },
  ],
  longSessions: [
    0.6,
    (draw, hours) => {
      const [so, gain] = [longSessions(draw, hours), draw.log(0.05, 0.5)];
      return () => ({ heap: (h) => gain * so(h) });
    },
  ],
  tenants: [
    0.6,
    (draw, hours) => {
      const [so, gain] = [tenants(draw, hours), draw.log(0.05, 0.4)];
      return () => ({ heap: (h) => gain * so(h) });
    },
  ],
  report: [
    0.4,
    (draw, hours) => {
      const [from, takes, gain] = [draw.between(0.1, 0.7) * hours, draw.log(1, 14), draw.log(0.05, 0.4)];
      return () => ({ heap: (h) => (h < from + takes ? gain * clamp((h - from) / takes) : 0) });
    },
  ],
  lateCache: [
    1.4,
    (draw, hours) => {
      const [tau, gain] = [draw.log(0.5, 18), draw.log(0.05, 0.5)];
      return (load) => {
        const held = late(load, tau, hours);
        return { heap: (h) => gain * held(h) };
      };
    },
  ],
  reload: [
    0.4,
    (draw) => {
      const [every, takes, table] = [draw.log(1, 16), draw.between(0.1, 0.6), draw.log(0.03, 0.3)];
      return () => ({ heap: (h) => (h % every < takes ? table : 0) });
    },
  ],
  keeper: [
    0.8,
    (draw, hours) => {
      const [fill, gain, rest] = [pick(draw, fills, hours)[1], draw.log(0.1, 1), draw.between(0, 0.12)];
      return () => ({ attributed: (h) => gain * fill(h), heap: (h) => rest * gain * fill(h) });
    },
  ],
  nativeFill: [
    0.5,
    (draw, hours) => {
      const [fill, gain] = [pick(draw, fills, hours)[1], draw.log(0.1, 0.8)];
      return () => ({ native: (h) => gain * fill(h) });
    },
  ],
  nativeRise: [
    0.4,
    (draw, hours) => {
      const [rise, gain] = [ramp(draw, hours), draw.log(0.1, 0.8)];
      return () => ({ native: (h) => gain * rise(h) });
    },
  ],
  arenas: [
    0.4,
    (draw, hours) => {
      const so = stairs(draw, hours, whole(draw, 2, 5), () => draw.log(0.05, 0.3));
      return () => ({ native: so });
    },
  ],
  buffers: [
    0.5,
    (draw, hours) => {
      const [tau, gain] = [draw.log(0.3, 6), draw.log(0.02, 0.3)];
      return (load) => {
        const held = late(load, tau, hours);
        return { external: (h) => gain * held(h) };
      };
    },
  ],
};

interface Leak {
  /** Growth from 0 to about 1 over `hours`, or by requests. */
  readonly grown: Curve | undefined;
}

export const leaks: Kinds<Leak> = {
  line: [3, (_, hours) => ({ grown: (h) => h / hours })],
  requests: [3, () => ({ grown: undefined })],
  slowing: [
    1,
    (draw, hours) => {
      const power = draw.between(0.5, 0.9);
      return { grown: (h) => (h / hours) ** power };
    },
  ],
  quickening: [
    1,
    (draw, hours) => {
      const power = draw.between(1.2, 2);
      return { grown: (h) => (h / hours) ** power };
    },
  ],
  bursts: [
    1,
    (draw, hours) => {
      const count = whole(draw, 12, 50);
      const at = times(count, () => draw.between(0, hours)).map((begin) => ({
        begin,
        size: 0.3 - 0.7 * Math.log(draw.between(1e-3, 1)),
      }));
      const takes = draw.log(0.05, 1.5);
      return {
        grown: (h) =>
          at.reduce((total, { begin, size }) => total + size * clamp((h - begin) / takes), 0) / count,
      };
    },
  ],
  largeSteps: [
    0.6,
    (draw, hours) => {
      const count = whole(draw, 4, 9);
      const at = Array.from({ length: count }, (_, k) => ((k + draw.between(0.2, 0.8)) / count) * hours);
      return { grown: (h) => at.filter((one) => one <= h).length / count };
    },
  ],
  stopAndGo: [
    0.7,
    (draw, hours) => {
      const on = draw.between(1, 10);
      const every = on + draw.between(1, 14);
      return { grown: (h) => (Math.floor(h / every) * on + Math.min(on, h % every)) * (every / on / hours) };
    },
  ],
  twoRates: [
    0.7,
    (draw, hours) => {
      const [at, change] = [draw.between(0.2, 0.6) * hours, draw.log(0.4, 2.5)];
      return { grown: (h) => (Math.min(h, at) + change * Math.max(0, h - at)) / hours };
    },
  ],
};

export function pick<T>(draw: Draw, kinds: Kinds<T>, hours: number): readonly [name: string, made: T] {
  const all = Object.entries(kinds);
  let left = draw.between(0, 1) * all.reduce((total, [, [weight]]) => total + weight, 0);
  const [name, [, make]] =
    all.find(([, [weight]]) => (left -= weight) < 0) ?? (all[0] as (typeof all)[number]);
  return [name, make(draw, hours)];
}
