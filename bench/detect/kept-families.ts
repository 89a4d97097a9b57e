/**
 * Families of series that were never used to choose a parameter or a model: late fills, compaction, waves, moves in batches, and leaks in
 * the same surroundings. Do not look at single series of these while you change the detector.
 */
import { clamp, leakLine } from './family.ts';
import type { Family } from './family.ts';
import type { Draw } from './family-series.ts';

/** A cache that is switched on later in the life and fills by itself. */
function lateFill(draw: Draw, hours: number): (h: number) => number {
  const from = draw.between(0.1, 0.6) * hours;
  const tau = draw.log(1, 0.08 * hours);
  const gain = draw.between(0.1, 0.5);
  return (h) => (h > from ? gain * (1 - Math.exp(-(h - from) / tau)) : 0);
}

/** Segments that are written one after another and merged into a smaller one now and then. */
function compaction(draw: Draw): (h: number) => number {
  const every = draw.log(5, 40);
  const gain = draw.between(0.05, 0.25);
  const left = draw.between(0.1, 0.6);
  const offset = draw.between(0, every);
  return (h) => gain * (left + ((1 - left) * ((h + offset) % every)) / every);
}

/** A level that goes up and down over days, for reasons that the load does not show. */
function wave(draw: Draw): (h: number) => number {
  const period = draw.between(60, 150);
  const phase = draw.between(0, 2 * Math.PI);
  const gain = draw.between(0.03, 0.2);
  return (h) => (gain / 2) * (1 + Math.sin((2 * Math.PI * h) / period + phase));
}

/** Two to four moves of customers, each at a pace of its own, with rest between them. */
function movesInBatches(draw: Draw, hours: number): (h: number) => number {
  const moves = Array.from({ length: 2 + Math.floor(draw.between(0, 3)) }, () => ({
    from: draw.between(0.05, 0.7) * hours,
    takes: draw.log(0.5, 10),
    gain: draw.between(0.03, 0.2),
  }));
  return (h) => moves.reduce((sum, { from, takes, gain }) => sum + gain * clamp((h - from) / takes), 0);
}

/** A nightly job whose tables stay for some hours. */
function nightlyTables(draw: Draw): (h: number) => number {
  const at = draw.between(0, 24);
  const stays = draw.between(1, 7);
  const gain = draw.between(0.1, 0.5);
  return (h) => ((h + at) % 24 < stays ? gain : 0);
}

export const keptFamilies: Readonly<Record<string, Family>> = {
  lateFill: { leak: false, shape: (draw, hours) => ({ heap: lateFill(draw, hours) }) },
  compaction: { leak: false, shape: (draw) => ({ heap: compaction(draw) }) },
  wave: { leak: false, shape: (draw) => ({ heap: wave(draw) }) },
  movesInBatches: { leak: false, shape: (draw, hours) => ({ heap: movesInBatches(draw, hours) }) },
  nightlyTables: { leak: false, shape: (draw) => ({ heap: nightlyTables(draw) }) },
  /** A catalogue that is read anew every day, larger each time for some days. */
  dailyCatalogue: {
    leak: false,
    shape: (draw, hours) => {
      const table = draw.between(0.1, 0.4);
      const grows = draw.between(0.02, 0.15);
      const days = 1 + Math.floor(draw.between(0, Math.min(4, hours / 24)));
      const at = draw.between(0, 24);
      return { heap: (h) => table * (1 + grows * Math.min(days, Math.floor((h + at) / 24))) };
    },
  },
  /** A partner goes live: the load is higher from one hour on, and tables follow it within a day. */
  partnerLaunch: {
    leak: false,
    shape: (draw, hours) => {
      const from = draw.between(0.15, 0.6) * hours;
      const more = draw.between(0.3, 1.2);
      const gain = draw.between(0.1, 0.4);
      const lag = draw.log(2, 14);
      return {
        load: (h) => (h > from ? 1 + more : 1),
        heap: (h) => (h > from ? gain * (1 - Math.exp(-(h - from) / lag)) : 0),
      };
    },
  },
  /** Worker threads and arenas of the allocator that are made when they are first needed. */
  nativeArenas: {
    leak: false,
    shape: (draw, hours) => {
      const steps = Array.from({ length: 2 + Math.floor(draw.between(0, 4)) }, () => ({
        at: draw.between(0, 0.7) * hours,
        gain: draw.log(0.05, 0.3),
      }));
      return { native: (h) => steps.reduce((sum, { at, gain }) => sum + (h >= at ? gain : 0), 0) };
    },
  },
  /** A feature whose use doubles every so many hours until all have it. */
  doubling: {
    leak: false,
    shape: (draw, hours) => {
      const gain = draw.between(0.1, 0.5);
      const full = draw.between(0.3, 0.7) * hours;
      const doubles = draw.between(2, 10);
      return { heap: (h) => gain * Math.min(1, 2 ** ((h - full) / doubles)) };
    },
  },
  lateFillLeak: {
    leak: true,
    shape: (draw, hours) => {
      const heap = lateFill(draw, hours);
      const { onset, rate } = leakLine(draw, hours);
      return { heap, onset, leaked: (h) => rate * (h - onset) };
    },
  },
  compactionLeak: {
    leak: true,
    shape: (draw, hours) => {
      const heap = compaction(draw);
      const { onset, rate } = leakLine(draw, hours, 0.01);
      return { heap, onset, leaked: (h) => rate * (h - onset) };
    },
  },
  waveLeak: {
    leak: true,
    shape: (draw, hours) => {
      const heap = wave(draw);
      const { onset, rate } = leakLine(draw, hours, 0.01);
      return { heap, onset, leaked: (h) => rate * (h - onset) };
    },
  },
  batchesLeak: {
    leak: true,
    shape: (draw, hours) => {
      const heap = movesInBatches(draw, hours);
      const { onset, rate } = leakLine(draw, hours, 0.01);
      return { heap, onset, leaked: (h) => rate * (h - onset) };
    },
  },
  /** A leak beneath a nightly job. */
  nightlyLeak: {
    leak: true,
    shape: (draw, hours) => {
      const heap = nightlyTables(draw);
      const { onset, rate } = leakLine(draw, hours);
      return { heap, onset, leaked: (h) => rate * (h - onset) };
    },
  },
  /** A leak whose pace falls for ever. */
  slowingLeak: {
    leak: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours, 0.01);
      const power = draw.between(0.7, 0.9);
      const span = hours - onset;
      return { onset, leaked: (h) => rate * span * ((h - onset) / span) ** power };
    },
  },
  /** A leak by errors, which come in storms of an hour or so. */
  errorLeak: {
    leak: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours, 0.01);
      const every = draw.between(2, 8);
      const storms: number[] = [];
      for (let at = onset; at < hours; at += draw.between(0.3, 1.7) * every) storms.push(at);
      const stormed = (h: number): number => storms.reduce((sum, at) => sum + clamp((h - at) / 1.2), 0);
      return { onset, leaked: (h) => rate * every * stormed(h) };
    },
  },
  /** A leak per request while the load rises from day to day. */
  growingLoadLeak: {
    leak: true,
    shape: (draw, hours) => {
      const { onset, rate } = leakLine(draw, hours);
      const more = draw.between(0.2, 1);
      return {
        load: (h) => (1 + (more * h) / hours) * (1 - 0.5 * Math.cos((2 * Math.PI * h) / 24)),
        onset,
        perLoad: rate,
      };
    },
  },
  /** A leak of external memory beneath a wave of the heap. */
  waveBufferLeak: {
    leak: true,
    shape: (draw, hours) => {
      const heap = wave(draw);
      const { onset, rate } = leakLine(draw, hours, 0.01);
      return { heap, onset, leaked: (h) => rate * (h - onset), where: 'external' };
    },
  },
};
