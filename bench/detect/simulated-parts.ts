/** Parts of simulated programs: each keeps a state of its own and is asked once a minute what it holds. Sizes are shares of the base level. */
import type { Draw } from './family-series.ts';

/** One minute of the program. */
export interface Minute {
  /** Hours since the start. */
  readonly h: number;
  /** Requests of this minute, as a multiple of those of a usual minute. */
  readonly work: number;
}

/** What one part holds. */
export interface Held {
  heap: number;
  external: number;
  native: number;
  attributed: number;
}

/** Adds what the part holds after this minute. */
export type Part = (minute: Minute, held: Held) => void;
export type MakePart = (draw: Draw, hours: number) => Part;

const minute = 1 / 60;
const hourOfDay = (h: number): number => ((h % 24) + 24) % 24;
const exponential = (draw: Draw): number => -Math.log(1 - draw.between(0, 1));
/** How many of a rare event happen, one at most. */
const happens = (draw: Draw, perHour: number): boolean => draw.chance(1 - Math.exp(-perHour * minute));

/** A map keyed by what requests ask for: ever fewer keys are new (Heaps' law), and a bound ends it at once. */
function keyed(draw: Draw, hours: number, isAttributed: boolean): Part {
  const bound = draw.log(0.04, 0.7);
  const power = draw.between(0.45, 1);
  const full = draw.log(0.5, 0.25 * hours);
  const from = draw.chance(0.6) ? 0 : draw.between(0.05, 0.5) * hours;
  let asked = 0;
  return ({ h, work }, held) => {
    if (h < from) return;
    asked += work * minute;
    const size = bound * Math.min(1, (asked / full) ** power);
    held.heap += isAttributed ? 0.08 * size : size;
    if (isAttributed) held.attributed += size;
  };
}

/** Entries that each request leaves and a timer removes. */
function expiring(draw: Draw): Part {
  const ttl = draw.log(0.3, 20);
  const gain = draw.log(0.04, 0.6);
  const sweep = draw.chance(0.3) ? draw.between(0.2, 3) : minute;
  const isExternal = draw.chance(0.2);
  const ring = new Float64Array(Math.ceil(ttl * 60));
  let at = 0;
  let size = 0;
  let shown = 0;
  let next = 0;
  return ({ h, work }, held) => {
    const slot = at++ % ring.length;
    size += work / ring.length - (ring[slot] as number);
    ring[slot] = work / ring.length;
    shown = h >= next ? size : Math.max(size, shown + work / ring.length);
    if (h >= next) next = h + sweep;
    if (isExternal) held.external += 0.3 * gain * shown;
    else held.heap += gain * shown;
  };
}

/** Customers from a list, one after another, now and then by day only; the list ends. None of them is seen in the load. */
function moving(draw: Draw, hours: number): Part {
  const count = Math.round(draw.log(3, 400));
  const gain = draw.log(0.05, 0.8);
  const from = draw.between(0.02, 0.7) * hours;
  const takes = draw.log(1, Math.min(0.35 * hours, 0.95 * hours - from));
  const byDay = draw.chance(0.25);
  const uneven = draw.between(0, 1.5);
  const sizes = Array.from({ length: count }, () => Math.exp(uneven * draw.normal()));
  const total = sizes.reduce((a, b) => a + b, 0);
  let moved = 0;
  let due = from;
  let size = 0;
  return ({ h }, held) => {
    while (moved < count && h >= due) {
      if (byDay && (hourOfDay(h) < 8 || hourOfDay(h) > 18)) break;
      size += (gain * (sizes[moved++] as number)) / total;
      due += (takes / count) * (byDay ? 0.5 : 1) * draw.between(0.3, 1.7);
    }
    held.heap += size;
  };
}

/** Conversations that grow with their age, come with the load and end. */
function conversations(draw: Draw): Part {
  const lasts = draw.log(1, 24);
  const usual = draw.log(4, 60);
  const gain = draw.log(0.04, 0.5);
  const grows = draw.chance(0.7);
  let open: { born: number; ends: number }[] = Array.from({ length: Math.round(usual) }, () => {
    const ends = lasts * exponential(draw);
    return { born: -lasts * exponential(draw), ends };
  });
  return ({ h, work }, held) => {
    if (draw.chance(Math.min(1, (work * usual * minute) / lasts)))
      open.push({ born: h, ends: h + lasts * exponential(draw) });
    let sum = 0;
    let isOver = false;
    for (const { born, ends } of open) {
      if (ends <= h) isOver = true;
      else sum += grows ? (h - born) / lasts : 1;
    }
    if (isOver) open = open.filter(({ ends }) => ends > h);
    held.heap += (gain * sum) / usual;
  };
}

/** A job with a working set: built within a while, kept for a while. */
function job(draw: Draw): Part {
  const every = draw.chance(0.6) ? 24 : draw.log(1, 12);
  const at = draw.between(0, every);
  const builds = draw.log(0.05, 0.25 * every);
  const keeps = draw.log(0.1, 0.3 * every);
  const gain = draw.log(0.05, 0.8);
  return ({ h }, held) => {
    const since = (h + at) % every;
    if (since < builds + keeps) held.heap += gain * Math.min(1, since / builds);
  };
}

/** Tables that are read anew: the new one beside the old one for a while, and not always of the same size. */
function reload(draw: Draw): Part {
  const every = draw.log(3, 60);
  const spread = draw.log(0.01, 0.4);
  const takes = draw.log(0.05, 1.5);
  let size = draw.log(0.04, 0.4);
  const usual = size;
  let next = draw.between(0, every);
  let before = 0;
  let until = 0;
  return ({ h }, held) => {
    if (h >= next) {
      before = size;
      size = usual * Math.exp(spread * draw.normal());
      until = h + takes;
      next = h + every * draw.between(0.6, 1.4);
    }
    held.heap += size + (h < until ? before : 0);
  };
}

/** A buffer by bytes written: it is flushed at a size, so that the load sets the pace. */
function buffered(draw: Draw): Part {
  const bound = draw.log(0.03, 0.3);
  const perHour = bound / draw.log(0.5, 24);
  let size = draw.between(0, bound);
  return ({ work }, held) => {
    size += perHour * work * minute;
    if (size >= bound) size = 0;
    held.heap += size;
  };
}

/** A pool that grows to the highest load it has met, and gives idle members back slowly or never. */
function pool(draw: Draw): Part {
  const gain = draw.log(0.03, 0.4);
  const back = draw.chance(0.5) ? draw.log(2, 24) : Number.POSITIVE_INFINITY;
  const place = draw.between(0, 1);
  let size = 0;
  return ({ work }, held) => {
    size = work > size ? work : size - ((size - work) * minute) / back;
    if (place < 0.5) held.heap += gain * size;
    else if (place < 0.75) held.native += gain * size;
    else held.external += 0.3 * gain * size;
  };
}

/** Releases of configuration without a restart, mostly larger. */
function releases(draw: Draw, hours: number): Part {
  const perHour = draw.between(1, 6) / hours;
  const gain = draw.log(0.03, 0.2);
  const isNative = draw.chance(0.25);
  let size = 0;
  return ({ h }, held) => {
    if (h < 0.9 * hours && happens(draw, perHour)) size = Math.max(0, size + gain * (0.4 + draw.normal()));
    held[isNative ? 'native' : 'heap'] += size;
  };
}

/** A share of the users that a schedule raises; what a user takes is there after some hours. */
function gradual(draw: Draw, hours: number): Part {
  const gain = draw.log(0.05, 0.7);
  const from = draw.between(0.05, 0.6) * hours;
  const pause = draw.log(0.5, 0.1 * hours);
  const felt = draw.log(0.2, 10);
  const isNative = draw.chance(0.15);
  const stages = 1 + Math.floor(draw.between(0, 6));
  let size = 0;
  return ({ h }, held) => {
    const stage = Math.min(stages, Math.floor(1 + (h - from) / pause));
    const share = stage <= 0 ? 0 : 2 ** (stage - stages);
    size += ((share - size) * minute) / felt;
    held[isNative ? 'native' : 'heap'] += gain * size;
  };
}

/** A backlog while a dependency is down; it is worked off afterwards. */
function backlog(draw: Draw, hours: number): Part {
  const perHour = draw.between(1, 5) / hours;
  const gain = draw.log(0.02, 0.12);
  const lasts = draw.log(0.3, 6);
  const drains = draw.between(0.5, 4);
  let until = -1;
  let size = 0;
  return ({ h, work }, held) => {
    if (happens(draw, perHour)) until = h + lasts * exponential(draw);
    size = h < until ? size + gain * work * minute : Math.max(0, size - gain * drains * minute);
    held.heap += size;
  };
}

export const healthyParts: readonly (readonly [weight: number, make: MakePart])[] = [
  [1.5, (draw, hours) => keyed(draw, hours, false)],
  [0.8, (draw, hours) => keyed(draw, hours, true)],
  [1.2, expiring],
  [1.5, moving],
  [1, conversations],
  [1, job],
  [0.7, reload],
  [0.7, buffered],
  [0.8, pool],
  [0.8, releases],
  [1.2, gradual],
  [0.6, backlog],
];

/** How much a leak has gained in a minute, before it is scaled to the size that is drawn for it. */
export type Gain = (minute: Minute) => number;

export const leakKinds: readonly (readonly [weight: number, make: (draw: Draw, hours: number) => Gain])[] = [
  // By requests, or by the clock.
  [3, () => (now) => now.work],
  [2, () => () => 1],
  // By runs of a job.
  [
    1,
    (draw, hours) => {
      const every = Math.min(24, hours / 5) * draw.between(0.3, 1);
      const takes = draw.log(0.1, 0.5 * every);
      const at = draw.between(0, every);
      return ({ h }) => ((h + at) % every < takes ? 1 : 0);
    },
  ],
  // By errors, which come in storms, or by customers of unlike size.
  [
    1,
    (draw, hours) => {
      const perHour = draw.log(12, 80) / hours;
      const spread = draw.between(0.2, 1);
      return () => (happens(draw, perHour) ? Math.exp(spread * draw.normal()) : 0);
    },
  ],
  // By new keys, of which there are ever fewer.
  [
    1,
    (draw) => {
      const power = draw.between(0.6, 0.9);
      let asked = draw.between(0, 5);
      return ({ work }) => {
        const before = asked ** power;
        asked += work * minute;
        return asked ** power - before;
      };
    },
  ],
  // By a feature that ever more use, or by growth that feeds itself.
  [
    1,
    (draw, hours) => {
      const more = draw.log(0.5, 4);
      return ({ h, work }) => work * (1 + (more * h) / hours);
    },
  ],
  // By hours of work only.
  [
    0.7,
    () =>
      ({ h, work }) =>
        hourOfDay(h) > 8 && hourOfDay(h) < 19 ? work : 0,
  ],
];
