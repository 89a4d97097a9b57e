/** Makes a whole series of a process from the shape of its growth: load, sessions, collections, noise. Sizes in MB, one sample a minute. */
import type { Series } from './series.ts';

/** Random draws; the same seed draws the same. */
export interface Draw {
  between(from: number, to: number): number;
  /** Even in the logarithm. */
  log(from: number, to: number): number;
  chance(share: number): boolean;
  normal(): number;
}

/** What one life does besides its base level. Sizes are shares of the base level, times hours. */
export interface Shape {
  /** Harmless bytes. */
  readonly heap?: (h: number) => number;
  /** Harmless bytes of the resident set outside of the heap. */
  readonly native?: (h: number) => number;
  /** Factor on the request rate. */
  readonly load?: (h: number) => number;
  /** Begin of the leak. */
  readonly onset?: number;
  /** Leaked since the onset. */
  readonly leaked?: (h: number) => number;
  /** Leaked per hour at the usual load; instead of `leaked`. */
  readonly perLoad?: number;
  /** Bytes of the heap that keepers account for. */
  readonly attributed?: (h: number) => number;
  /** Harmless bytes outside of the heap that V8 knows of. */
  readonly external?: (h: number) => number;
  /** What the leak is made of; default objects of the heap. `sessions` are open scopes that are never closed. */
  readonly where?: 'heap' | 'external' | 'native' | 'sessions';
}

export interface FamilyInput {
  readonly name: string;
  readonly noise: string;
  readonly seed: number;
  readonly leak: boolean;
  readonly shape: (draw: Draw, hours: number) => Shape;
}

export const noiseNames = ['low', 'mid', 'high'] as const;
const noiseFactor: Readonly<Record<string, number>> = { low: 0.35, mid: 1, high: 2.5 };

export function random(text: string): () => number {
  let state = 2_166_136_261;
  for (const char of text) state = Math.imul(state ^ char.charCodeAt(0), 16_777_619) >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function drawing(next: () => number): Draw {
  const between = (from: number, to: number): number => from + (to - from) * next();
  return {
    between,
    log: (from, to) => Math.exp(between(Math.log(from), Math.log(Math.max(from, to)))),
    chance: (share) => next() < share,
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}

const dt = 60;

/** The process that a life happens in. Sizes in MB, times in seconds. */
export interface Surroundings {
  readonly hours: number;
  readonly base: number;
  /** Usual requests per second, how long a session lasts, and what one takes. */
  readonly perSecond: number;
  readonly lifetime: number;
  readonly perSession: number;
  /** Slow wander of the live set. */
  readonly wanderTau: number;
  readonly wanderSd: number;
  readonly warm: number;
  /** Hours. */
  readonly warmTau: number;
  /** Between two major GCs at the usual load. */
  readonly gcEvery: number;
  readonly external: number;
  /** The budget as a multiple of what the healthy process takes at most. */
  readonly room: number;
  /** Scale of the noise of single values. */
  readonly factor: number;
  /** Whether sessions and requests are known. */
  readonly hasLoad: boolean;
  /** Chance that a GC runs in the middle of something large, and how large that is as a share of the live set. */
  readonly spikes: number;
}

export function generatedSeries({ name, noise, seed, leak, shape }: FamilyInput): Series {
  const next = random(`${name}|${noise}|${seed}`);
  const draw = drawing(next);
  const hours = [48, 96, 168][Math.floor(draw.between(0, 3))] as number;
  const life = shape(draw, hours);
  const factor = noiseFactor[noise] ?? 1;
  const base = draw.log(60, 600);
  const perSecond = draw.log(2, 200);
  const lifetime = draw.log(300, 5400);
  const surroundings: Surroundings = {
    hours,
    base,
    perSecond,
    lifetime,
    perSession: (base * draw.between(0.05, 0.4)) / ((perSecond / 15) * lifetime),
    wanderTau: draw.log(0.5, 8) * 3600,
    wanderSd: base * 0.008 * factor,
    warm: base * draw.between(0.05, 0.3),
    warmTau: draw.between(0.1, 1.5),
    gcEvery: draw.log(2, 15) * 60,
    external: draw.between(5, 40),
    room: draw.between(1.5, 5),
    factor,
    hasLoad: true,
    spikes: 0,
  };
  return {
    ...live(life, surroundings, next, draw),
    id: `${name}/${noise}/${seed}`,
    family: name,
    noise,
    leak,
  };
}

/** Lives a life in its surroundings, minute by minute. */
export function live(
  life: Shape,
  around: Surroundings,
  next: () => number,
  draw: Draw,
): Omit<Series, 'id' | 'family' | 'noise' | 'leak'> {
  const { hours, base, perSecond, lifetime, perSession, wanderTau, wanderSd, factor } = around;
  const n = hours * 60;
  const series = columns(n);
  const sessionsAtRest = (perSecond / 15) * lifetime;
  const kept = Math.exp(-dt / wanderTau);
  const where = life.where ?? 'heap';
  const onset = life.onset ?? Number.POSITIVE_INFINITY;
  let top = 0;
  for (let h = 0; h < hours; h++) top = Math.max(top, base * (1 + (life.heap?.(h) ?? 0)));
  const budget = (top + around.warm + perSession * sessionsAtRest * 2) * around.room;
  const state = { wander: draw.normal() * wanderSd, sessions: 0, requests: 0, jitter: 0, leaked: 0, gc: 0 };
  let end = n;
  for (let i = 0; i < n; i++) {
    const h = i / 60;
    state.jitter = 0.9 * state.jitter + 0.04 * Math.sqrt(factor) * draw.normal();
    const rate = perSecond * (life.load?.(h) ?? 1) * Math.exp(state.jitter);
    state.requests += rate * dt;
    state.sessions += dt * (rate / 15 - state.sessions / lifetime);
    state.wander = kept * state.wander + wanderSd * Math.sqrt(1 - kept * kept) * draw.normal();
    if (h >= onset) {
      if (life.perLoad !== undefined) state.leaked += (base * life.perLoad * rate) / perSecond / 60;
      else state.leaked = base * (life.leaked?.(h) ?? 0);
    }
    const inHeap = where === 'external' || where === 'native' ? 0 : state.leaked;
    const attributed = base * (life.attributed?.(h) ?? 0);
    const own = base * (1 + (life.heap?.(h) ?? 0)) + around.warm * (1 - Math.exp(-h / around.warmTau));
    const live = own + attributed + state.wander + perSession * state.sessions + inHeap;
    const buffers = base * (life.external?.(h) ?? 0) + (where === 'external' ? state.leaked : 0);
    const outside = around.external + 0.6 * factor * draw.normal() + buffers;
    const native = base * (life.native?.(h) ?? 0) + (where === 'native' ? state.leaked : 0);
    state.gc += (dt / around.gcEvery) * (rate / perSecond);
    if (state.gc >= 1) {
      state.gc = 0;
      series.gT.push(i * dt + next() * dt);
      const large = around.spikes > 0 && draw.chance(around.spikes) ? draw.between(0.05, 0.4) : 0;
      series.gF.push(live * (1 + large + 0.006 * factor * -Math.log(1 - next())));
      series.gI.push(i);
    }
    series.heap[i] = live * (1 + 0.5 * Math.min(1, state.gc));
    series.heapTotal[i] = live * 1.6;
    series.ext[i] = Math.max(1, outside);
    series.rss[i] = live * 1.6 + outside + 60 + native + factor * draw.normal();
    series.req[i] = around.hasLoad ? state.requests : 0;
    const leakedSessions = where === 'sessions' ? state.leaked / perSession : 0;
    series.sess[i] = around.hasLoad ? state.sessions + leakedSessions : 1;
    series.expl[i] = 0.95 * attributed;
    series.live[i] = live;
    series.lk[i] = state.leaked;
    if (live + (state.leaked - inHeap) >= budget) {
      end = i + 1;
      break;
    }
  }
  return {
    ...series,
    onset: onset * 3600,
    budget,
    n: end,
    dt,
    exhausted: end < n,
    isOutside: where === 'external' || where === 'native',
  };
}

function columns(n: number): Omit<
  Series,
  | 'id'
  | 'family'
  | 'noise'
  | 'leak'
  | 'onset'
  | 'budget'
  | 'n'
  | 'dt'
  | 'exhausted'
  | 'isOutside'
  | 'retained'
> & {
  gT: number[];
  gF: number[];
  gI: number[];
} {
  const column = (): Float64Array => new Float64Array(n);
  return {
    heap: column(),
    heapTotal: column(),
    ext: column(),
    rss: column(),
    req: column(),
    sess: column(),
    expl: column(),
    live: column(),
    lk: column(),
    gT: [],
    gF: [],
    gI: [],
  };
}
