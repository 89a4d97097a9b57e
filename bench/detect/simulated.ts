/**
 * Series of simulated programs: maps, timers, jobs, pools and customers with a state of their own, asked once a minute under a random
 * load. They were written before the rules that they judge were changed, and no series was looked at: do not do so, either.
 */
import { drawing, random } from './family-series.ts';
import type { Draw } from './family-series.ts';
import type { Series } from './series.ts';
import { healthyParts, leakKinds } from './simulated-parts.ts';
import type { Held } from './simulated-parts.ts';

const turn = 2 * Math.PI;

function pick<T>(draw: Draw, from: readonly (readonly [number, T])[]): T {
  let left = draw.between(0, 1) * from.reduce((sum, [weight]) => sum + weight, 0);
  return (from.find(([weight]) => (left -= weight) < 0) ?? (from[0] as readonly [number, T]))[1];
}

/** Requests of each minute as a multiple of the usual: harmonics of the day, weekends, a slow drift, and events that fade. */
function drawnLoad(draw: Draw, n: number): Float64Array {
  const load = new Float64Array(n);
  const swing = draw.chance(0.3) ? 0 : draw.between(0.1, 0.75);
  const second = draw.between(-0.3, 0.3) * swing;
  const [phase, tilt, first] = [draw.between(0, 24), draw.between(0, turn), draw.between(0, 7)];
  const weekend = draw.chance(0.3) ? draw.between(0.3, 0.9) : 1;
  const driftSd = draw.chance(0.3) ? draw.between(0.05, 0.3) : 0;
  const driftTau = draw.log(6, 60) * 60;
  const events = draw.chance(0.25) ? draw.between(1, 5) / n : 0;
  const jitterSd = draw.between(0.02, 0.12);
  let [drift, event, jitter] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const h = i / 60;
    const day =
      1 - swing * Math.cos((turn * (h + phase)) / 24) + second * Math.cos((2 * turn * h) / 24 + tilt);
    drift += -drift / driftTau + driftSd * Math.sqrt(2 / driftTau) * draw.normal();
    event = draw.chance(events) ? event + draw.between(0.3, 1.5) : event * (1 - 1 / 240);
    jitter = 0.9 * jitter + jitterSd * draw.normal();
    const quiet = (h / 24 + first) % 7 >= 5 ? weekend : 1;
    load[i] = Math.max(0.02, day * quiet * Math.exp(drift + jitter) + event);
  }
  return load;
}

/** What the leak has gained by each minute, in shares of the base level. */
function drawnLeak(draw: Draw, hours: number, load: Float64Array, onset: number): Float64Array {
  const n = load.length;
  const leaked = new Float64Array(n);
  const gain = pick(draw, leakKinds)(draw, hours - onset);
  for (let i = 1; i < n; i++) {
    const h = i / 60 - onset;
    leaked[i] = (leaked[i - 1] as number) + (h < 0 ? 0 : gain({ h, work: load[i] as number }));
  }
  const total = draw.log(0.35, 3) / Math.max(1e-9, leaked[n - 1] as number);
  for (let i = 0; i < n; i++) leaked[i] = (leaked[i] as number) * total;
  return leaked;
}

interface Life {
  readonly load: Float64Array;
  /** Shares of the base level by minute. */
  readonly held: readonly Held[];
  readonly leaked: Float64Array;
  readonly onset: number;
  readonly where: 'heap' | 'external' | 'native' | 'sessions';
}

function drawnLife(draw: Draw, leak: boolean): Life {
  const hours = Math.round(draw.log(30, 240));
  const load = drawnLoad(draw, hours * 60);
  const count = leak ? Math.floor(draw.between(0, 4)) : 1 + Math.floor(draw.between(0, 3));
  const parts = Array.from({ length: count }, () => pick(draw, healthyParts)(draw, hours));
  const held = Array.from(load, (work, i) => {
    const each: Held = { heap: 0, external: 0, native: 0, attributed: 0 };
    for (const part of parts) part({ h: i / 60, work }, each);
    return each;
  });
  const onset = leak ? (draw.chance(0.4) ? 0 : draw.between(0.05, 0.5) * hours) : Number.POSITIVE_INFINITY;
  const leaked = leak ? drawnLeak(draw, hours, load, onset) : new Float64Array(load.length);
  const place = draw.between(0, 1);
  const where = place < 0.82 ? 'heap' : place < 0.9 ? 'external' : place < 0.95 ? 'native' : 'sessions';
  return { load, held, leaked, onset, where };
}

/** A series by its seed. */
export function simulatedSeries(leak: boolean, seed: number): Series {
  const next = random(`simulated|${leak}|${seed}`);
  const draw = drawing(next);
  const { load, held, leaked, onset, where } = drawnLife(draw, leak);
  const n = load.length;
  const base = draw.log(40, 700);
  const perMinute = draw.log(60, 12_000);
  const lifetime = draw.log(3, 120);
  const perSession = (base * draw.log(0.02, 0.5)) / ((perMinute / 15) * lifetime);
  const wanderSd = base * 0.008 * draw.log(0.3, 2.5);
  const kept = Math.exp(-1 / (draw.log(0.5, 8) * 60));
  const [warm, warmTau] = [base * draw.between(0.02, 0.35), draw.log(6, 120)];
  const [gcEvery, gcNoise] = [draw.log(2, 30), 0.006 * draw.log(0.3, 2.5)];
  const [outside, hasLoad] = [draw.between(5, 40), draw.chance(0.85)];
  const column = (): Float64Array => new Float64Array(n);
  const [heap, heapTotal, ext, rss] = [column(), column(), column(), column()];
  const [req, sess, expl, live, lk] = [column(), column(), column(), column(), column()];
  const [gT, gF, gI]: [number[], number[], number[]] = [[], [], []];
  let [wander, sessions, requests, garbage] = [wanderSd * draw.normal(), 0, 0, 0];
  const isOutside = where === 'external' || where === 'native';
  const most = held.reduce((top, each) => Math.max(top, each.heap + each.attributed), 0);
  const usual = base * (1 + most) + warm + 2 * perSession * (perMinute / 15) * lifetime;
  const budget = usual * draw.log(1.3, 5);
  let end = n;
  for (let i = 0; i < n; i++) {
    const work = load[i] as number;
    const each = held[i] as Held;
    requests += perMinute * work;
    sessions += (perMinute * work) / 15 - sessions / lifetime;
    wander = kept * wander + wanderSd * Math.sqrt(1 - kept * kept) * draw.normal();
    const lost = base * (leaked[i] as number);
    const own = base * (1 + each.heap + each.attributed) + warm * (1 - Math.exp(-i / warmTau));
    const alive = own + perSession * sessions + wander + (isOutside ? 0 : lost);
    garbage += work / gcEvery;
    if (garbage >= 1) {
      garbage = 0;
      gT.push((i + next()) * 60);
      gF.push(alive * (1 - gcNoise * Math.log(1 - next())));
      gI.push(i);
    }
    heap[i] = alive * (1 + 0.5 * Math.min(1, garbage));
    heapTotal[i] = alive * 1.6;
    ext[i] =
      outside + base * each.external + (where === 'external' ? lost : 0) + 0.3 * Math.abs(draw.normal());
    const native = base * each.native + (where === 'native' ? lost : 0);
    rss[i] = alive * 1.6 + (ext[i] as number) + 60 + native + draw.normal();
    req[i] = hasLoad ? requests : 0;
    sess[i] = hasLoad ? sessions + (where === 'sessions' ? lost / perSession : 0) : 1;
    expl[i] = 0.95 * base * each.attributed;
    live[i] = alive;
    lk[i] = lost;
    if (alive + (isOutside ? lost : 0) >= budget) {
      end = i + 1;
      break;
    }
  }
  const columns = { heap, heapTotal, ext, rss, req, sess, expl, live, lk, gT, gF, gI };
  const made = { onset: onset * 3600, budget, n: end, dt: 60, exhausted: end < n, isOutside };
  return { ...columns, ...made, id: String(seed), family: 'simulated', noise: '', leak };
}
