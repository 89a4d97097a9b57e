/**
 * Memory series of our own with known truth, in families that the shared generator does not have: rises that begin slowly and end, and
 * leaks in the same surroundings. Families marked `kept` were never used to choose a parameter or a model; nor were seeds from 100 on.
 */
import { generatedSeries } from './family-series.ts';
import type { Draw, Shape } from './family-series.ts';
import type { Series } from './series.ts';

interface Family {
  readonly leak: boolean;
  /** Kept apart from tuning. */
  readonly kept: boolean;
  /** The growth of one life of `hours` hours, as shares of the base level; times are in hours. */
  readonly shape: (draw: Draw, hours: number) => Shape;
}

const logistic = (x: number): number => 1 / (1 + Math.exp(-x));
const clamp = (x: number): number => Math.min(1, Math.max(0, x));
const smooth = (x: number): number => clamp(x) ** 2 * (3 - 2 * clamp(x));

/** A rise from 0 to 1 that begins slowly and ends slowly: middle and width are drawn within the life. */
function drawnRise(draw: Draw, hours: number): (h: number) => number {
  const width = draw.log(1.5, 0.12 * hours);
  const middle = draw.between(0.15, 0.75) * hours + width;
  const floor = logistic(-middle / width);
  return (h) => (logistic((h - middle) / width) - floor) / (1 - floor);
}

function leakLine(draw: Draw, hours: number, least = 0.005, most = 0.04): { onset: number; rate: number } {
  return { onset: draw.chance(0.4) ? 0 : draw.between(0.1, 0.4) * hours, rate: draw.log(least, most) };
}

export const families: Readonly<Record<string, Family>> = {
  /** A feature is rolled out; what it holds per process follows an S. */
  rollout: {
    leak: false,
    kept: false,
    shape: (draw, hours) => {
      const rise = drawnRise(draw, hours);
      const gain = draw.between(0.08, 0.6);
      return { heap: (h) => gain * rise(h) };
    },
  },
  /** Customers move in over days: sessions, requests and what is held per customer rise together. */
  onboarding: {
    leak: false,
    kept: false,
    shape: (draw, hours) => {
      const from = draw.between(0.1, 0.4) * hours;
      const days = draw.between(0.2, 0.5) * hours;
      const gain = draw.between(0.1, 0.8);
      const more = draw.between(0.3, 1.5);
      const rise = (h: number): number => smooth((h - from) / days);
      return { heap: (h) => gain * rise(h), load: (h) => 1 + more * rise(h) };
    },
  },
  /** Working days and a quiet weekend; tables follow the load of the last half day. */
  weekendLoad: {
    leak: false,
    kept: false,
    shape: (draw) => {
      const quiet = draw.between(0.2, 0.6);
      const first = draw.between(0, 7);
      const gain = draw.between(0.1, 0.5);
      const week = (h: number): number => ((h / 24 + first) % 7 >= 5 ? quiet : 1);
      let held = week(0);
      return {
        load: (h) => week(h) * (1 - 0.5 * Math.cos((2 * Math.PI * h) / 24)),
        heap: (h) => gain * (held += (week(h) - held) / (8 * 60)),
      };
    },
  },
  /** A new cache fills beside the old one, which is dropped later. */
  cacheMigration: {
    leak: false,
    kept: false,
    shape: (draw, hours) => {
      const rise = drawnRise(draw, hours);
      const gain = draw.between(0.15, 0.6);
      const drop = draw.between(0.6, 0.95) * hours;
      const share = draw.between(0.4, 1);
      return { heap: (h) => gain * rise(h) - (h > drop ? share * gain * rise(drop) : 0) };
    },
  },
  /** A buffer grows until it is rotated, once a day or so. */
  logRotation: {
    leak: false,
    kept: false,
    shape: (draw) => {
      const every = draw.between(8, 30);
      const gain = draw.between(0.03, 0.2);
      const offset = draw.between(0, every);
      return { heap: (h) => (gain * ((h + offset) % every)) / every };
    },
  },
  /** The same surroundings with a leak. */
  rolloutLeak: {
    leak: true,
    kept: false,
    shape: (draw, hours) => {
      const rise = drawnRise(draw, hours);
      const gain = draw.between(0.05, 0.4);
      const { onset, rate } = leakLine(draw, hours);
      return { heap: (h) => gain * rise(h), onset, leaked: (h) => rate * (h - onset) };
    },
  },
  weekendLeak: {
    leak: true,
    kept: false,
    shape: (draw, hours) => {
      const quiet = draw.between(0.2, 0.6);
      const week = (h: number): number => ((h / 24) % 7 >= 5 ? quiet : 1);
      const { onset, rate } = leakLine(draw, hours);
      return {
        load: (h) => week(h) * (1 - 0.5 * Math.cos((2 * Math.PI * h) / 24)),
        onset,
        perLoad: rate,
      };
    },
  },
  rotationLeak: {
    leak: true,
    kept: false,
    shape: (draw, hours) => {
      const every = draw.between(8, 30);
      const gain = draw.between(0.03, 0.1);
      const { onset, rate } = leakLine(draw, hours, 0.01);
      return { heap: (h) => (gain * (h % every)) / every, onset, leaked: (h) => rate * (h - onset) };
    },
  },

  /** A rise that begins quickly and ends slowly, and does not begin with the process (Gompertz). */
  adoption: {
    leak: false,
    kept: true,
    shape: (draw, hours) => {
      const middle = draw.between(0.15, 0.5) * hours;
      const width = draw.log(1.5, 0.1 * hours);
      const gain = draw.between(0.1, 0.6);
      return { heap: (h) => gain * Math.exp(-Math.exp(-(h - middle) / width)) };
    },
  },
  /** A feature flag goes to 1, 5, 25, 50 and 100 % of the users; each stage takes hours to be felt. */
  featureFlag: {
    leak: false,
    kept: true,
    shape: (draw, hours) => {
      const gain = draw.between(0.1, 0.6);
      const from = draw.between(0.1, 0.3) * hours;
      const stage = draw.between(0.05, 0.12) * hours;
      const felt = draw.log(0.3, 6);
      const shares = [0.01, 0.04, 0.2, 0.25, 0.5];
      return {
        heap: (h) =>
          gain *
          shares.reduce((sum, share, k) => {
            const since = h - from - k * stage;
            return since > 0 ? sum + share * (1 - Math.exp(-since / felt)) : sum;
          }, 0),
      };
    },
  },
  /** Tenants are moved to this process at a steady pace, from one day to another. */
  tenantMove: {
    leak: false,
    kept: true,
    shape: (draw, hours) => {
      const from = draw.between(0.15, 0.45) * hours;
      const takes = draw.between(0.06, 0.3) * hours;
      const gain = draw.between(0.1, 0.7);
      const more = draw.chance(0.5) ? draw.between(0.2, 1) : 0;
      const rise = (h: number): number => clamp((h - from) / takes);
      return { heap: (h) => gain * rise(h), load: (h) => 1 + more * rise(h) };
    },
  },
  /** An index is built ever faster as it is fed, and is then complete. */
  indexBuild: {
    leak: false,
    kept: true,
    shape: (draw, hours) => {
      const from = draw.between(0.1, 0.5) * hours;
      const takes = draw.between(0.05, 0.25) * hours;
      const gain = draw.between(0.1, 0.6);
      return { heap: (h) => gain * clamp((h - from) / takes) ** 2 };
    },
  },
  /** Distinct label values seen so far: ever fewer are new. */
  vocabulary: {
    leak: false,
    kept: true,
    shape: (draw, hours) => {
      const gain = draw.between(0.1, 0.4);
      const early = draw.log(0.5, 0.05 * hours);
      return { heap: (h) => (gain * Math.log1p(h / early)) / Math.log1p(hours / early) };
    },
  },
  /** Three to five deployments of configuration, each with a table that is a little larger. */
  deployStairs: {
    leak: false,
    kept: true,
    shape: (draw, hours) => {
      const steps = Array.from({ length: 3 + Math.floor(draw.between(0, 3)) }, () => ({
        at: draw.between(0.08, 0.7) * hours,
        gain: draw.log(0.03, 0.25),
      }));
      return { heap: (h) => steps.reduce((sum, { at, gain }) => sum + (h >= at ? gain : 0), 0) };
    },
  },
  adoptionLeak: {
    leak: true,
    kept: true,
    shape: (draw, hours) => {
      const middle = draw.between(0.1, 0.4) * hours;
      const width = draw.log(1.5, 0.08 * hours);
      const gain = draw.between(0.1, 0.4);
      const { onset, rate } = leakLine(draw, hours);
      const heap = (h: number): number => gain * Math.exp(-Math.exp(-(h - middle) / width));
      return { heap, onset, leaked: (h) => rate * (h - onset) };
    },
  },
  stairsLeak: {
    leak: true,
    kept: true,
    shape: (draw, hours) => {
      const steps = Array.from({ length: 2 }, () => ({
        at: draw.between(0.1, 0.6) * hours,
        gain: draw.log(0.03, 0.2),
      }));
      const { onset, rate } = leakLine(draw, hours);
      const heap = (h: number): number => steps.reduce((sum, { at, gain }) => sum + (h >= at ? gain : 0), 0);
      return { heap, onset, leaked: (h) => rate * (h - onset) };
    },
  },
  /** Faster than a line and slower than a square. */
  powerLeak: {
    leak: true,
    kept: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours, 0.01);
      const power = draw.between(1.2, 1.6);
      const span = hours - onset;
      return { onset, leaked: (h) => rate * span * ((h - onset) / span) ** power };
    },
  },
  /** Leaks by the hours of work only. */
  officeLeak: {
    leak: true,
    kept: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours, 0.01);
      const office = (h: number): number => (h % 24 >= 8 && h % 24 < 19 ? 1 : 0.1);
      return { load: (h) => 0.3 + office(h), onset, perLoad: rate };
    },
  },
  bufferLeak: {
    leak: true,
    kept: true,
    shape: (draw, hours) => {
      const rise = drawnRise(draw, hours);
      const gain = draw.between(0.05, 0.3);
      const { onset, rate } = leakLine(draw, hours, 0.01);
      return { heap: (h) => gain * rise(h), onset, leaked: (h) => rate * (h - onset), isExternal: true };
    },
  },
};

export const familyNames = {
  tuned: Object.keys(families).filter((name) => families[name]?.kept === false),
  kept: Object.keys(families).filter((name) => families[name]?.kept === true),
} as const;

/** One series of a family; the same arguments give the same series. */
export function familySeries(name: string, noise: string, seed: number): Series {
  const family = families[name];
  if (family === undefined) throw new Error(`no family ${name}`);
  return generatedSeries({ name, noise, seed, leak: family.leak, shape: family.shape });
}
