/**
 * Families of series that judged the detector without being looked at, until rules were made on them: rises that begin slowly and end,
 * fills, rhythms, and leaks in the same surroundings. They are among the tuned ones now.
 */
import { clamp, drawnRise, leakLine } from './family.ts';
import type { Family } from './family.ts';

export const seenFamilies: Readonly<Record<string, Family>> = {
  /** A rise that begins quickly and ends slowly, and does not begin with the process (Gompertz). */
  adoption: {
    leak: false,
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
    shape: (draw, hours) => {
      const gain = draw.between(0.1, 0.4);
      const early = draw.log(0.5, 0.05 * hours);
      return { heap: (h) => (gain * Math.log1p(h / early)) / Math.log1p(hours / early) };
    },
  },
  /** Three to five deployments of configuration, each with a table that is a little larger. */
  deployStairs: {
    leak: false,
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
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours, 0.01);
      const office = (h: number): number => (h % 24 >= 8 && h % 24 < 19 ? 1 : 0.1);
      return { load: (h) => 0.3 + office(h), onset, perLoad: rate };
    },
  },
  bufferLeak: {
    leak: true,
    shape: (draw, hours) => {
      const rise = drawnRise(draw, hours);
      const gain = draw.between(0.05, 0.3);
      const { onset, rate } = leakLine(draw, hours, 0.01);
      return { heap: (h) => gain * rise(h), onset, leaked: (h) => rate * (h - onset), where: 'external' };
    },
  },
  /** Regions are opened one after another: an S with a long tail (a Richards curve). */
  regionOpening: {
    leak: false,
    shape: (draw, hours) => {
      const middle = draw.between(0.2, 0.6) * hours;
      const width = draw.log(1.5, 0.1 * hours);
      const skew = draw.log(0.3, 3);
      const gain = draw.between(0.1, 0.6);
      return { heap: (h) => gain * (1 + skew * Math.exp(-(h - middle) / width)) ** (-1 / skew) };
    },
  },
  /** Six to twelve customers, one after another, each with tables of its own; then no more. */
  customersInSteps: {
    leak: false,
    shape: (draw, hours) => {
      const from = draw.between(0.1, 0.3) * hours;
      const takes = draw.between(0.15, 0.4) * hours;
      const steps = Array.from({ length: 6 + Math.floor(draw.between(0, 7)) }, () => ({
        at: from + draw.between(0, 1) * takes,
        gain: draw.log(0.01, 0.08),
      }));
      const more = draw.between(0, 0.1);
      const so = (h: number): number => steps.reduce((sum, { at }) => sum + (h >= at ? 1 : 0), 0);
      return {
        heap: (h) => steps.reduce((sum, { at, gain }) => sum + (h >= at ? gain : 0), 0),
        load: (h) => 1 + more * so(h),
      };
    },
  },
  /** A fill whose rest halves as the time doubles. */
  hyperbolicFill: {
    leak: false,
    shape: (draw, hours) => {
      const gain = draw.between(0.15, 0.6);
      const half = draw.log(0.5, 0.08 * hours);
      return { heap: (h) => (gain * h) / (h + half) };
    },
  },
  /** A week of seven unlike days; the level follows them by half a day. */
  weeklyRhythm: {
    leak: false,
    shape: (draw) => {
      const days = Array.from({ length: 7 }, () => draw.between(0.4, 1.2));
      const gain = draw.between(0.1, 0.4);
      const day = (h: number): number => days[Math.floor(h / 24) % 7] as number;
      let held = day(0);
      return {
        load: (h) => day(h) * (1 - 0.4 * Math.cos((2 * Math.PI * h) / 24)),
        heap: (h) => gain * (held += (day(h) - held) / (12 * 60)),
      };
    },
  },
  /** A configuration is read again every few hours: old and new side by side for a while, and two of them larger than before. */
  configReload: {
    leak: false,
    shape: (draw, hours) => {
      const every = draw.between(4, 16);
      const table = draw.between(0.03, 0.15);
      const larger = [draw.between(0.1, 0.8) * hours, draw.between(0.1, 0.8) * hours];
      const size = (h: number): number => table * larger.reduce((sum, at) => sum + (h >= at ? 0.6 : 0), 1);
      return { heap: (h) => size(h) * (h % every < 0.4 ? 2 : 1) };
    },
  },
  /** Code and feedback that grow with the routes used, by the logarithm of the requests, in steps of optimisation. */
  codeGrowth: {
    leak: false,
    shape: (draw, hours) => {
      const gain = draw.between(0.05, 0.25);
      const step = draw.log(0.05, 0.4);
      const all = Math.log1p(60 * hours);
      return { heap: (h) => (gain * Math.floor(Math.log1p(60 * h) / step) * step) / all };
    },
  },
  /** Native memory of a library that loads models when they are first asked for. */
  nativeModels: {
    leak: false,
    shape: (draw, hours) => {
      const rise = drawnRise(draw, hours);
      const gain = draw.between(0.2, 0.8);
      return { native: (h) => gain * rise(h) };
    },
  },
  /** A job that leaks runs for some hours and rests for some. */
  stopAndGo: {
    leak: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours, 0.01);
      const on = draw.between(2, 10);
      const every = on + draw.between(2, 10);
      const worked = (h: number): number => Math.floor(h / every) * on + Math.min(on, h % every);
      return { onset, leaked: (h) => rate * (every / on) * worked(h - onset) };
    },
  },
  /** A slow leak beneath a large swing of day and night. */
  dailyLeak: {
    leak: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours, 0.006, 0.02);
      const swing = draw.between(0.2, 0.6);
      return {
        load: (h) => 1 - 0.6 * Math.cos((2 * Math.PI * h) / 24),
        heap: (h) => (swing / 2) * (1 - Math.cos((2 * Math.PI * h) / 24)),
        onset,
        leaked: (h) => rate * (h - onset),
      };
    },
  },
  /** A leak beneath a buffer that is flushed. */
  flushLeak: {
    leak: true,
    shape: (draw, hours) => {
      const every = draw.between(2, 14);
      const gain = draw.between(0.05, 0.2);
      const { onset, rate } = leakLine(draw, hours, 0.01);
      return { heap: (h) => (gain * (h % every)) / every, onset, leaked: (h) => rate * (h - onset) };
    },
  },
  /** A leak whose rate doubles when a feature is switched on. */
  twoRates: {
    leak: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours);
      const more = onset + draw.between(0.2, 0.5) * (hours - onset);
      return { onset, leaked: (h) => rate * (h - onset + Math.max(0, h - more)) };
    },
  },
};
