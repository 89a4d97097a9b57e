/**
 * Memory series of our own with known truth, in families that the shared generator does not have: rises that begin slowly and end, and
 * leaks in the same surroundings. Parameters and models were chosen on the families here and in `seen-families.ts`, with seeds below 100.
 * Those of `kept-families.ts` and `fresh-families.ts`, and seeds from 100 on, only judge.
 */
import { clamp, drawnRise, leakLine, smooth } from './family.ts';
import type { Family } from './family.ts';
import { generatedSeries } from './family-series.ts';
import { freshFamilies } from './fresh-families.ts';
import { keptFamilies } from './kept-families.ts';
import { seenFamilies } from './seen-families.ts';
import type { Series } from './series.ts';

const firstFamilies: Readonly<Record<string, Family>> = {
  /** A feature is rolled out; what it holds per process follows an S. */
  rollout: {
    leak: false,
    shape: (draw, hours) => {
      const rise = drawnRise(draw, hours);
      const gain = draw.between(0.08, 0.6);
      return { heap: (h) => gain * rise(h) };
    },
  },
  /** Customers move in over days: sessions, requests and what is held per customer rise together. */
  onboarding: {
    leak: false,
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
    shape: (draw, hours) => {
      const rise = drawnRise(draw, hours);
      const gain = draw.between(0.05, 0.4);
      const { onset, rate } = leakLine(draw, hours);
      return { heap: (h) => gain * rise(h), onset, leaked: (h) => rate * (h - onset) };
    },
  },
  weekendLeak: {
    leak: true,
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
    shape: (draw, hours) => {
      const every = draw.between(8, 30);
      const gain = draw.between(0.03, 0.1);
      const { onset, rate } = leakLine(draw, hours, 0.01);
      return { heap: (h) => (gain * (h % every)) / every, onset, leaked: (h) => rate * (h - onset) };
    },
  },
  /** Customers are moved in on working hours only, for some days. */
  workdayOnboarding: {
    leak: false,
    shape: (draw, hours) => {
      const from = draw.between(0.1, 0.4) * hours;
      const until = from + draw.between(0.15, 0.4) * hours;
      const gain = draw.between(0.1, 0.6);
      const more = draw.between(0, 1);
      const worked = (h: number): number => Math.floor(h / 24) * 9 + Math.min(9, Math.max(0, (h % 24) - 8));
      const total = Math.max(1, worked(until) - worked(from));
      const rise = (h: number): number => clamp((worked(h) - worked(from)) / total);
      return { heap: (h) => gain * rise(h), load: (h) => 1 + more * rise(h) };
    },
  },
  /** Traffic of day and night over a trend that ends. */
  trendThatEnds: {
    leak: false,
    shape: (draw, hours) => {
      const until = draw.between(0.1, 0.35) * hours;
      const gain = draw.between(0.08, 0.4);
      const swing = draw.between(0.05, 0.3);
      const phase = draw.between(0, 24);
      return {
        load: (h) => 1 - 0.6 * Math.cos((2 * Math.PI * (h + phase)) / 24),
        heap: (h) => gain * clamp(h / until) + (swing / 2) * (1 - Math.cos((2 * Math.PI * (h + phase)) / 24)),
      };
    },
  },
  /** A cache whose keys follow a power law: quick at first, then ever slower (a stretched exponential). */
  slowTail: {
    leak: false,
    shape: (draw, hours) => {
      const gain = draw.between(0.15, 0.6);
      const tau = draw.log(1, 0.08 * hours);
      const power = draw.between(0.45, 0.8);
      return { heap: (h) => gain * (1 - Math.exp(-((h / tau) ** power))) };
    },
  },
  /** A buffer that is flushed at irregular sizes. */
  flushes: {
    leak: false,
    shape: (draw, hours) => {
      const gain = draw.between(0.05, 0.3);
      const times = [0];
      while ((times[0] as number) < hours) times.unshift((times[0] as number) + draw.log(3, 20));
      return { heap: (h) => (gain * (h - (times.find((at) => at <= h) as number))) / 12 };
    },
  },
  /** An allocator that fragments, with the load of day and night. */
  fragmentation: {
    leak: false,
    shape: (draw, hours) => {
      const gain = draw.between(0.2, 0.8);
      const tau = draw.between(0.05, 0.3) * hours;
      return {
        load: (h) => 1 - 0.5 * Math.cos((2 * Math.PI * h) / 24),
        native: (h) => gain * (1 - Math.exp(-h / tau)),
      };
    },
  },
  requestLeak: {
    leak: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours);
      const phase = draw.between(0, 24);
      return { load: (h) => 1 - 0.7 * Math.cos((2 * Math.PI * (h + phase)) / 24), onset, perLoad: rate };
    },
  },
  lateLeak: {
    leak: true,
    shape: (draw, hours) => {
      const onset = draw.between(0.4, 0.6) * hours;
      const rate = draw.log(1 / hours, 0.05);
      return { onset, leaked: (h) => rate * (h - onset) };
    },
  },
  acceleratingLeak: {
    leak: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours, 0.01);
      const span = hours - onset;
      return { onset, leaked: (h) => (rate * (h - onset) ** 2) / span };
    },
  },
};

const tunedFamilies: Readonly<Record<string, Family>> = { ...firstFamilies, ...seenFamilies };
const families: Readonly<Record<string, Family>> = { ...tunedFamilies, ...keptFamilies, ...freshFamilies };

export const familyNames = {
  tuned: Object.keys(tunedFamilies),
  kept: Object.keys(keptFamilies),
  fresh: Object.keys(freshFamilies),
} as const;

/** Families whose series leak, among those of a set. */
export function leakingFamilies(set: keyof typeof familyNames): readonly string[] {
  return familyNames[set].filter((name) => families[name]?.leak === true);
}

/** One series of a family; the same arguments give the same series. */
export function familySeries(name: string, noise: string, seed: number): Series {
  const family = families[name];
  if (family === undefined) throw new Error(`no family ${name}`);
  return generatedSeries({ name, noise, seed, leak: family.leak, shape: family.shape });
}
