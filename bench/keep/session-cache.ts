import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { measure, Meter } from '@plimsoll/core/meter';
import { FileLot, SessionCache } from '@plimsoll/keep';
import { LRUCache } from 'lru-cache';
import { newCache } from 'transitory';
import { flatChat, toolCalls } from '../meter/cases.ts';
import { row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';
import { arc, belady, s3fifo } from './policies.ts';
import {
  bursts,
  drifting,
  looped,
  random,
  scanned,
  sessionTurns,
  shifts,
  withOneTimers,
  zipf,
} from './traces.ts';

const entries = 10_000;
const peerName = 'lru-cache (max, ttl, size, dispose)';

/** The rows of the session cache. */
export const rows: Benchmark = async (options) => {
  options.log('session cache: operations ...');
  const found: Row[] = [...operations(options.quick), await overhead()];
  options.log('session cache: hit ratios ...');
  found.push(...hitRatios(options.quick), ...noisyTenant(options.quick));
  options.log('session cache: growth and parking ...');
  found.push(await growth(), ...(await parking(options.quick)));
  return found;
};

function ids(count: number, seed: number): string[] {
  const next = random(seed);
  return Array.from({ length: count }, () =>
    Buffer.from(Array.from({ length: 36 }, () => '0123456789abcdef'.charCodeAt(next() * 16))).toString(
      'latin1',
    ),
  );
}

let sink = 0;
const meter = { bytes: 100 };

function ourCache(): SessionCache<object> {
  return new SessionCache<object>({
    maxEntries: entries,
    maxBytes: 1e9,
    idle: '5m',
    maxAge: '8h',
    meter: () => meter,
    dispose: () => {
      sink++;
    },
  });
}

function peerCache(): LRUCache<string, object> {
  return new LRUCache<string, object>({
    max: entries,
    maxSize: 1e9,
    ttl: 300_000,
    updateAgeOnGet: true,
    sizeCalculation: () => 100,
    dispose: () => {
      sink++;
    },
  });
}

function operations(isQuick: boolean): Row[] {
  const ours = ourCache();
  const peer = peerCache();
  const known = ids(entries, 1);
  for (const id of known) {
    ours.set(id, {});
    peer.set(id, {});
  }
  const batch = Array.from({ length: 1000 }, (_, i) => known[(i * 7919) % entries] as string);
  const fresh = ids(8 * entries, 2);
  let at = 0;
  const next = (): string => fresh[at++ % fresh.length] as string;
  const repeats = isQuick ? 60 : 400;
  const [get, peerGet, lease] = interleaved(repeats, 1000, [
    () => {
      for (const id of batch) if (ours.get(id) !== undefined) sink++;
    },
    () => {
      for (const id of batch) if (peer.get(id) !== undefined) sink++;
    },
    () => {
      for (const id of batch) ours.tryAcquire(id, 'bench')?.release();
    },
  ]) as [number[], number[], number[]];
  const [set, peerSet, miss, peerMiss] = interleaved(repeats, 1000, [
    () => {
      for (let i = 0; i < 1000; i++) ours.set(next(), meter);
    },
    () => {
      for (let i = 0; i < 1000; i++) peer.set(next(), meter);
    },
    () => {
      for (let i = 0; i < 1000; i++) {
        const id = next();
        if (ours.get(id) === undefined) ours.set(id, meter);
      }
    },
    () => {
      for (let i = 0; i < 1000; i++) {
        const id = next();
        if (peer.get(id) === undefined) peer.set(id, meter);
      }
    },
  ]) as [number[], number[], number[], number[]];
  void ours.drain();
  const against = (samples: number[]): { name: string; samples: number[] } => ({ name: peerName, samples });
  return [
    row({
      metric: 'SessionCache: get hit',
      unit: 'ns',
      samples: get,
      peer: against(peerGet),
      goal: { atMost: 0.8 },
    }),
    row({
      metric: 'SessionCache: set + evict',
      unit: 'ns',
      samples: set,
      peer: against(peerSet),
      goal: { atMost: 1.2 },
    }),
    row({
      metric: 'SessionCache: get miss + set + evict',
      unit: 'ns',
      samples: miss,
      peer: against(peerMiss),
      goal: { atMost: 1.2 },
    }),
    row({
      metric: 'SessionCache: acquire + release',
      unit: 'ns',
      samples: lease,
      peer: { name: 'lru-cache get', samples: peerGet },
      goal: { atMost: 1 },
    }),
  ];
}

/** Nanoseconds per unit of each work, measured in turn; only the faster half counts, in which nothing else took the core. */
function interleaved(repeats: number, units: number, works: readonly (() => void)[]): number[][] {
  for (let i = 0; i < repeats / 4; i++) for (const work of works) work();
  const samples: number[][] = works.map(() => []);
  for (let i = 0; i < repeats; i++) {
    for (const [index, work] of works.entries()) {
      const start = performance.now();
      work();
      samples[index]?.push(((performance.now() - start) * 1e6) / units);
    }
  }
  return samples.map(undisturbed);
}

function undisturbed(samples: readonly number[]): number[] {
  return [...samples].sort((a, b) => a - b).slice(0, samples.length >> 1);
}

/** Bytes of bookkeeping per entry: ids and values exist already. */
async function overhead(): Promise<Row> {
  const known = ids(entries, 3);
  const value = {};
  const perEntry = async (fill: () => unknown): Promise<number> => {
    fill();
    const before = await floor();
    const kept = fill();
    const after = await floor();
    return kept === undefined ? Number.NaN : (after - before) / entries;
  };
  const ours = await perEntry(() => {
    const cache = ourCache();
    for (const id of known) cache.set(id, value);
    return cache;
  });
  const peer = await perEntry(() => {
    const cache = peerCache();
    for (const id of known) cache.set(id, value);
    return cache;
  });
  return row({
    metric: 'SessionCache: bookkeeping per entry',
    unit: 'B',
    samples: [ours],
    peer: { name: peerName, samples: [peer] },
    goal: { of: 'ours', atMost: 200 },
  });
}

/** As a user gets it, with no policy named, beside the best rivals. Bélády's bound knows the future. */
function hitRatios(isQuick: boolean): Row[] {
  const turns = sessionTurns(isQuick ? 100_000 : 800_000, 3000);
  const twice = Int32Array.from({ length: 2 * turns.length }, (_, i) => turns[i >> 1] as number);
  const requests = isQuick ? 200_000 : 1_500_000;
  const traces: readonly (readonly [string, Int32Array, number])[] = [
    ['sessions, 1 access per turn', turns, 4000],
    ['sessions, 2 accesses per turn', twice, 4000],
    ['sessions, too few places', turns, 1500],
    ['zipf 0.8', zipf(100_000, requests, 0.8, 9), 1000],
    ['zipf 0.99', zipf(100_000, requests, 0.99), 1000],
    ['zipf 0.9 with ids that come once', withOneTimers(100_000, requests), 1000],
    ['zipf 0.9 with scans', scanned(100_000, requests), 1000],
    ['popularity drift', drifting(100_000, requests), 1000],
    // Seeds and shapes on which the policy was not chosen.
    ['apart: sessions, 6,000 at a time', sessionTurns(turns.length, 6000, 101), 9000],
    ['apart: sessions, 800 at a time', sessionTurns(turns.length, 800, 102), 700],
    ['apart: zipf 0.7', zipf(300_000, requests, 0.7, 103), 8000],
    ['apart: zipf 1.1', zipf(30_000, requests, 1.1, 104), 100],
    ['apart: shifts', shifts(requests, 105), 1500],
    ['apart: bursts', bursts(60_000, requests, 106), 1000],
    ['apart: a loop longer than the cache', looped(50_000, requests, 3000, 107), 2000],
    ['apart: a loop shorter than the cache', looped(50_000, requests, 900, 108), 1000],
  ];
  return traces.map(([name, trace, places]) => {
    const rivals = {
      'lru-cache': ratio(lruSimulator(places), trace),
      transitory: ratio(transitorySimulator(places), trace),
      'ARC (simulated)': ratio(arc(places), trace),
      'S3-FIFO (simulated)': ratio(s3fifo(places), trace),
    };
    const [best, value] = Object.entries(rivals).sort((x, y) => y[1] - x[1])[0] as [string, number];
    const bound = `, at most ${belady(trace, places).toFixed(1)} (Bélády), lru-cache ${rivals['lru-cache'].toFixed(1)}, transitory ${rivals.transitory.toFixed(1)}`;
    return row({
      metric: `SessionCache: hit ratio, ${name}, ${places.toLocaleString('en-US')} entries${bound}`,
      unit: '%',
      samples: [ratio(cacheSimulator(places), trace)],
      peer: { name: best, samples: [value] },
      goal: { of: 'ours', atLeast: Number((rivals.transitory - 0.5).toFixed(2)) },
    });
  });
}

type Simulator = (key: number) => boolean;

function cacheSimulator(maxEntries: number, tenant?: (id: string) => string): Simulator {
  const cache = new SessionCache<object>({
    maxEntries,
    meter: () => meter,
    ...(tenant === undefined ? {} : { tenant }),
  });
  return (key) => {
    const id = String(key);
    if (cache.get(id) !== undefined) return true;
    cache.set(id, meter);
    return false;
  };
}

function lruSimulator(max: number): Simulator {
  const cache = new LRUCache<number, true>({ max });
  return (key) => {
    if (cache.get(key) === true) return true;
    cache.set(key, true);
    return false;
  };
}

function transitorySimulator(max: number): Simulator {
  const cache = newCache<number, true>().maxSize(max).build();
  return (key) => {
    if (cache.getIfPresent(key) === true) return true;
    cache.set(key, true);
    return false;
  };
}

function ratio(simulator: Simulator, trace: Int32Array): number {
  let hits = 0;
  for (const key of trace) if (simulator(key)) hits++;
  return (100 * hits) / trace.length;
}

/** Nine quiet tenants, and one that sends a new session with every second request. */
function noisyTenant(isQuick: boolean): Row[] {
  const quiet = sessionTurns(isQuick ? 100_000 : 400_000, 1500, 11);
  const capacity = 3000;
  const tenant = (id: string): string => (id.startsWith('-') ? 'noisy' : String(Number(id) % 9));
  const alone = ratio(cacheSimulator(capacity, tenant), quiet);
  const noisyRatio = (simulator: Simulator): number => {
    let hits = 0;
    let noise = -1;
    for (const key of quiet) {
      if (simulator(key)) hits++;
      simulator(noise--);
      simulator(noise--);
    }
    return (100 * hits) / quiet.length;
  };
  const ours = noisyRatio(cacheSimulator(capacity, tenant));
  const peer = noisyRatio(lruSimulator(capacity));
  return [
    row({
      metric: 'SessionCache: quiet tenants beside a noisy one, of their hit ratio alone',
      unit: '%',
      samples: [(100 * ours) / alone],
      peer: { name: 'lru-cache', samples: [(100 * peer) / alone] },
      goal: { of: 'ours', atLeast: 98 },
    }),
  ];
}

/** Sessions that grow after they came in: what the cache really retains, of its budget. */
async function growth(): Promise<Row> {
  const budget = 32 * 1024 ** 2;
  interface Growing {
    readonly meter: Meter;
    readonly messages: object[];
  }
  const next = random(5);
  const text = JSON.stringify({ role: 'user', content: 'x'.repeat(300) });
  const run = async (access: (id: string) => Growing, size: () => number): Promise<number> => {
    const before = await floor();
    for (let i = 0; i < 300_000; i++) {
      const session = access(`session ${Math.floor(2000 * next() ** 2)}`);
      const message = JSON.parse(text) as object;
      session.messages.push(message);
      session.meter.append(message);
    }
    const used = (await floor()) - before;
    return size() > 0 ? used / budget : Number.NaN;
  };
  const make = (): Growing => ({ meter: new Meter(), messages: [] });
  const cache = new SessionCache<Growing>({ maxBytes: budget, meter: (value) => value.meter });
  const ours = await run(
    (id) => {
      const found = cache.get(id);
      if (found !== undefined) return found;
      const made = make();
      cache.set(id, made);
      return made;
    },
    () => cache.size,
  );
  await cache.drain();
  const lru = new LRUCache<string, Growing>({
    max: 10_000,
    maxSize: budget,
    sizeCalculation: (v) => v.meter.bytes,
  });
  const peer = await run(
    (id) => {
      const found = lru.get(id);
      if (found !== undefined) return found;
      const made = make();
      lru.set(id, made);
      return made;
    },
    () => lru.size,
  );
  return row({
    metric: 'SessionCache: bytes really retained by values that grow, of the budget',
    unit: 'x',
    samples: [ours],
    peer: { name: 'lru-cache', samples: [peer] },
    goal: { of: 'ours', atMost: 1.05 },
  });
}

/** Parking and restoring a session of about a megabyte of heap. */
async function parking(isQuick: boolean): Promise<Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-bench-'));
  const lot = new FileLot({ dir });
  const cache = new SessionCache<object>({
    maxEntries: 10,
    park: lot,
    open: () => [flatChat(900), toolCalls(120)],
  });
  const out: number[] = [];
  const back: number[] = [];
  const smaller: number[] = [];
  const size = measure([flatChat(900), toolCalls(120)]).bytes;
  cache.on('park', ({ ms, parkedBytes }) => {
    out.push((ms * 1024 ** 2) / size);
    smaller.push(size / parkedBytes);
  });
  cache.on('restore', ({ ms }) => back.push((ms * 1024 ** 2) / size));
  for (let i = 0; i < (isQuick ? 8 : 40); i++) {
    (await cache.acquire('session')).release();
    await cache.shed({ bytes: 1 });
  }
  await cache.drain();
  rmSync(dir, { recursive: true, force: true });
  const perMiB = 'per MiB of heap, FileLot';
  return [
    row({
      metric: `SessionCache: park, ${perMiB}`,
      unit: 'ms',
      samples: undisturbed(out),
      goal: { atMost: 4 },
    }),
    row({
      metric: `SessionCache: restore, ${perMiB}`,
      unit: 'ms',
      samples: undisturbed(back),
      goal: { atMost: 4 },
    }),
    row({
      metric: 'SessionCache: parked, times smaller than in the heap',
      unit: 'x',
      samples: smaller,
      goal: { atLeast: 4 },
    }),
  ];
}

v8.setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

async function floor(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    gc();
  }
  return process.memoryUsage().heapUsed;
}
