/** Request traces for hit ratios: deterministic, so that every cache sees the same. */

/** Random numbers in [0, 1), the same for the same seed. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function zipf(keys: number, requests: number, exponent: number, seed = 1): Int32Array {
  const next = random(seed);
  const sums = new Float64Array(keys);
  let total = 0;
  for (let i = 0; i < keys; i++) sums[i] = total += 1 / (i + 1) ** exponent;
  const trace = new Int32Array(requests);
  for (let i = 0; i < requests; i++) {
    const wanted = next() * total;
    let low = 0;
    let high = keys - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] as number) < wanted) low = middle + 1;
      else high = middle;
    }
    trace[i] = low;
  }
  return trace;
}

/** Popular keys, interrupted by scans of keys that never come back for a quarter of the requests. */
export function scanned(keys: number, requests: number): Int32Array {
  const popular = zipf(keys, requests, 0.9, 3);
  let cold = 10_000_000;
  let at = 0;
  return Int32Array.from({ length: requests }, (_, i) =>
    Math.floor(i / 5000) % 4 === 3 ? cold++ : (popular[at++] as number),
  );
}

/** Popular keys among which three of ten requests are for a key that never comes back. */
export function withOneTimers(keys: number, requests: number): Int32Array {
  const next = random(4);
  let cold = 50_000_000;
  return zipf(keys, requests, 0.9, 11).map((key) => (next() < 0.3 ? cold++ : key));
}

/** Popularity that moves on every 50,000 requests. */
export function drifting(keys: number, requests: number): Int32Array {
  return zipf(keys, requests, 0.99, 5).map(
    (key, i) => (key + Math.floor(i / 50_000) * Math.floor(keys / 20)) % keys,
  );
}

/** Popular keys, and for two of five requests the next of a loop that is longer or shorter than the cache. */
export function looped(keys: number, requests: number, loop: number, seed: number): Int32Array {
  const next = random(seed);
  let at = 0;
  return zipf(keys, requests, 0.8, seed + 1).map((key) => (next() < 0.4 ? 10_000_000 + (at++ % loop) : key));
}

/** Five groups of keys that are asked for in turn, 40,000 requests each. */
export function shifts(requests: number, seed: number): Int32Array {
  const next = random(seed);
  return Int32Array.from(
    { length: requests },
    (_, i) => (Math.floor(i / 40_000) % 5) * 100_000 + Math.floor(4000 * next() ** 2),
  );
}

/** Keys that are asked for up to six times within 300 requests, and then hardly ever. */
export function bursts(keys: number, requests: number, seed: number): Int32Array {
  const next = random(seed);
  const keysOfBursts = zipf(keys, requests, 0.7, seed + 1);
  const trace = new Int32Array(requests).fill(-1);
  let burst = 0;
  for (let i = 0; i < requests; i++) {
    if (trace[i] !== -1) continue;
    const key = keysOfBursts[burst++] as number;
    trace[i] = key;
    for (let more = Math.floor(next() * 6); more > 0; more--) {
      const at = i + 1 + Math.floor(next() * 300);
      if (trace[at] === -1) trace[at] = key;
    }
  }
  return trace;
}

interface Visit {
  readonly at: number;
  /** Undefined for the arrival of a new session. */
  readonly session: { readonly id: number; turns: number; returns: number } | undefined;
}

/**
 * Turns of agent sessions: Poisson arrivals, about `live` at a time, 30 % with a single turn, else 12 turns on average, think time
 * log-normal around 30 s, every fifth comes back within two hours.
 */
export function sessionTurns(turns: number, live: number, seed = 7): Int32Array {
  const next = random(seed);
  const queue: Visit[] = [];
  const rate = live / 450;
  const trace = new Int32Array(turns);
  let count = 0;
  let filled = 0;
  push(queue, { at: 0, session: undefined });
  while (filled < turns) {
    const { at, session } = pop(queue);
    if (session === undefined) {
      const length = next() < 0.3 ? 1 : 1 + Math.floor(Math.log(1 - next()) / Math.log(1 - 1 / 12));
      push(queue, { at, session: { id: count++, turns: length, returns: next() < 0.2 ? 1 : 0 } });
      push(queue, { at: at - Math.log(1 - next()) / rate, session: undefined });
      continue;
    }
    trace[filled++] = session.id;
    if (--session.turns > 0) push(queue, { at: at + Math.exp(3.4 + normal(next)), session });
    else if (session.returns-- > 0) {
      session.turns = 1 + Math.floor(next() * 8);
      push(queue, { at: at + 600 + next() * 7200, session });
    }
  }
  return trace;
}

function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

function push(heap: Visit[], visit: Visit): void {
  let at = heap.push(visit) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if ((heap[parent] as Visit).at <= visit.at) break;
    heap[at] = heap[parent] as Visit;
    at = parent;
  }
  heap[at] = visit;
}

function pop(heap: Visit[]): Visit {
  const first = heap[0] as Visit;
  const last = heap.pop() as Visit;
  if (heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && (heap[child + 1] as Visit).at < (heap[child] as Visit).at) child++;
    if ((heap[child] as Visit).at >= last.at) break;
    heap[at] = heap[child] as Visit;
    at = child;
  }
  heap[at] = last;
  return first;
}
