/** A small generator of process lives for tests: healthy and leaking shapes with wander, load and garbage. Deterministic. */
import type { FloorEvent, VitalSample } from './waterline/waterline.ts';

export const MB = 1e6;

export interface LifeOptions {
  readonly seed?: number;
  readonly hours?: number;
  /** Live heap of the program at rest, MB. */
  readonly base?: number;
  /** MB added at a time in hours of uptime. */
  readonly grow?: (h: number) => number;
  /** The same for external memory and for the rest of the resident set. */
  readonly growExternal?: (h: number) => number;
  readonly growNative?: (h: number) => number;
  /** MB held by keepers that account for it. */
  readonly attributed?: (h: number) => number;
  /** Concurrent work, and MB per unit of it. */
  readonly load?: (h: number) => number;
  readonly perLoad?: number;
  /** Share of the base by which the level wanders. */
  readonly wander?: number;
  readonly minutesPerGc?: number;
}

export interface Life {
  floor(event: FloorEvent): void;
  sample(sample: VitalSample): void;
}

/** Uniform numbers in [0, 1) from a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Lives one life minute by minute; `each` may end it by returning true. Returns the hour it ended. */
export function live(into: Life, options: LifeOptions, each: (h: number) => boolean = () => false): number {
  const { hours = 48, base = 200, wander = 0.005, minutesPerGc = 8, perLoad = 0 } = options;
  const random = randomFrom(options.seed ?? 1);
  const normal = (): number => random() + random() + random() + random() - 2;
  let drift = 0;
  let requests = 0;
  for (let minute = 0; minute < hours * 60; minute++) {
    const h = minute / 60;
    const load = options.load?.(h) ?? 20 + random();
    requests += 60 * load;
    drift = 0.99 * drift + 0.14 * wander * base * normal() * 1.73;
    const attributed = options.attributed?.(h) ?? 0;
    const heap = base + drift + perLoad * load + attributed + (options.grow?.(h) ?? 0);
    const uptimeMs = minute * 60_000;
    if (minute % minutesPerGc === 0)
      into.floor({
        uptimeMs,
        floorBytes: (heap + 0.004 * base * random()) * MB,
        load,
        requests,
        attributedBytes: attributed * MB,
      });
    const external = 20 + random() + (options.growExternal?.(h) ?? 0);
    into.sample({
      uptimeMs,
      heapTotalBytes: 1.5 * heap * MB,
      externalBytes: external * MB,
      rssBytes: (1.5 * heap + external + 60 + random() + (options.growNative?.(h) ?? 0)) * MB,
      load,
      requests,
    });
    if (each(h)) return h;
  }
  return hours;
}

function dayAndNight(h: number): number {
  return 100 - 60 * Math.cos((2 * Math.PI * h) / 24);
}

/** The load of day and night, smoothed over so many hours; asked minute by minute from the start on. */
function lateBy(hours: number): (h: number) => number {
  let mean = 0;
  return (h) => {
    mean = h === 0 ? dayAndNight(0) : mean + (dayAndNight(h) - mean) / (60 * hours);
    return mean;
  };
}

/** Healthy shapes by name. */
export const healthy: Readonly<Record<string, LifeOptions>> = {
  flat: {},
  'a warm-up of hours': { grow: (h) => 150 * (1 - Math.exp(-h / 3)) },
  'one step': { grow: (h) => (h > 20 ? 60 : 0) },
  'two steps': { grow: (h) => (h > 12 ? 25 : 0) + (h > 30 ? 35 : 0) },
  'three steps of all sizes': {
    grow: (h) => (h > 7 ? 9 : 0) + (h > 11.2 ? 24 : 0) + (h > 26 ? 40 : 0),
    hours: 96,
  },
  'a short fill in a straight line': { grow: (h) => 2 * Math.min(12, h) },
  'day and night': { load: dayAndNight, perLoad: 1, hours: 96 },
  'more and more load': { load: (h) => 50 + h, perLoad: 2 },
  'a cache that fills and says so': { attributed: (h) => Math.min(200, 8 * h) },
  'a batch job every six hours': { grow: (h) => (h % 6 < 1 ? 120 : 0) },
  'a log that is written out every seven hours': { grow: (h) => 6 * (h % 7.3), hours: 96 },
  'a log that is written out once a day': { grow: (h) => 3 * ((h + 14) % 26), hours: 96 },
  'entries that outlast the traffic by hours': { load: dayAndNight, grow: lateBy(5), hours: 96 },
  'a log that is written out at random sizes': {
    grow: (h) => 1.5 * (h < 14 ? h : h < 25 ? h - 14 : h < 44 ? h - 25 : h - 44),
    hours: 72,
  },
  'models of a native library that are loaded one after another': {
    growNative: (h) => 90 / (1 + Math.exp((30 - h) / 4)),
    hours: 96,
  },
  'deployments of larger and larger tables': {
    grow: (h) => [20, 34, 45, 62].reduce((sum, at, k) => sum + (h >= at ? 12 + 3 * k : 0), 0),
    hours: 96,
  },
  'buffers of customers that move in within a day': {
    growExternal: (h) => 40 * Math.min(1, Math.max(0, (h - 20) / 10)),
    hours: 72,
  },
  'an allocator that fragments': { growNative: (h) => 100 * (1 - Math.exp(-h / 8)) },
};

/** Leaking shapes by name, with the channel that shows it. */
export const leaking: Readonly<Record<string, LifeOptions & { readonly channel: string }>> = {
  'from the start': { grow: (h) => 3 * h, channel: 'heap' },
  'from the second day': { grow: (h) => 3 * Math.max(0, h - 24), hours: 72, channel: 'heap' },
  'in bursts': { grow: (h) => 12 * Math.floor(h / 3.5), channel: 'heap' },
  accelerating: { grow: (h) => 0.08 * h * h, channel: 'heap' },
  'under a falling load': { grow: (h) => 3 * h, load: (h) => 100 - h, perLoad: 2, channel: 'heap' },
  'after a step': { grow: (h) => (h > 10 ? 50 : 0) + 3 * Math.max(0, h - 15), channel: 'heap' },
  'beside three steps': {
    grow: (h) => [8, 18, 26].reduce((sum, at) => sum + (h > at ? 30 : 0), 0) + 2 * h,
    hours: 72,
    channel: 'heap',
  },
  'by an hourly reload': { grow: (h) => 4 * Math.floor(Math.max(0, h - 6)), channel: 'heap' },
  'beneath a buffer that is flushed': { grow: (h) => 2 * (h % 9) + 3 * h, channel: 'heap' },
  'in a program that opens no scopes': {
    grow: (h) => 1.6 * Math.max(0, h - 24),
    load: () => 0,
    hours: 120,
    channel: 'heap',
  },
  'in buffers': { growExternal: (h) => 2 * Math.max(0, h - 10), channel: 'external' },
  'in native memory': { growNative: (h) => 5 * Math.max(0, h - 10), channel: 'native' },
};
