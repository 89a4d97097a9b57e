/** Reference simulators of eviction policies, over integer keys: what the session cache has to keep up with. */

/** One request; true for a hit. */
export type Simulator = (key: number) => boolean;

/** ARC as in the paper, with lists in insertion order of maps. */
export function arc(capacity: number): Simulator {
  const recent = new Map<number, true>();
  const frequent = new Map<number, true>();
  const recentGhosts = new Map<number, true>();
  const frequentGhosts = new Map<number, true>();
  let target = 0;
  const replace = (isFrequentGhost: boolean): void => {
    const fromRecent =
      recent.size > 0 &&
      (recent.size > target || (isFrequentGhost && recent.size === target) || frequent.size === 0);
    const [from, to] = fromRecent ? [recent, recentGhosts] : [frequent, frequentGhosts];
    const oldest = first(from);
    from.delete(oldest);
    to.set(oldest, true);
  };
  return (key) => {
    if (recent.delete(key) || frequent.delete(key)) {
      frequent.set(key, true);
      return true;
    }
    if (recentGhosts.has(key)) {
      target = Math.min(capacity, target + Math.max(1, frequentGhosts.size / recentGhosts.size));
      replace(false);
      recentGhosts.delete(key);
      frequent.set(key, true);
      return false;
    }
    if (frequentGhosts.has(key)) {
      target = Math.max(0, target - Math.max(1, recentGhosts.size / frequentGhosts.size));
      replace(true);
      frequentGhosts.delete(key);
      frequent.set(key, true);
      return false;
    }
    const known = recent.size + recentGhosts.size;
    if (known === capacity) {
      if (recent.size < capacity) {
        recentGhosts.delete(first(recentGhosts));
        replace(false);
      } else recent.delete(first(recent));
    } else {
      const all = known + frequent.size + frequentGhosts.size;
      if (all >= capacity) {
        if (all === 2 * capacity) frequentGhosts.delete(first(frequentGhosts));
        replace(false);
      }
    }
    recent.set(key, true);
    return false;
  };
}

/** S3-FIFO: a small queue, a main queue and a queue of ghosts. */
export function s3fifo(capacity: number): Simulator {
  const smallSize = Math.max(1, Math.floor(capacity / 10));
  const small = new Map<number, number>();
  const main = new Map<number, number>();
  const ghosts = new Map<number, true>();
  const evictMain = (): void => {
    for (;;) {
      const key = first(main);
      const uses = main.get(key) as number;
      main.delete(key);
      if (uses === 0) return;
      main.set(key, uses - 1);
    }
  };
  const evictSmall = (): void => {
    while (small.size > 0) {
      const key = first(small);
      const uses = small.get(key) as number;
      small.delete(key);
      if (uses > 1) {
        main.set(key, 0);
        if (main.size > capacity - smallSize) {
          evictMain();
          return;
        }
      } else {
        ghosts.set(key, true);
        if (ghosts.size > capacity - smallSize) ghosts.delete(first(ghosts));
        return;
      }
    }
    evictMain();
  };
  return (key) => {
    const queue = small.has(key) ? small : main.has(key) ? main : undefined;
    if (queue !== undefined) {
      queue.set(key, Math.min(3, (queue.get(key) as number) + 1));
      return true;
    }
    while (small.size + main.size >= capacity) {
      if (small.size >= smallSize || main.size === 0) evictSmall();
      else evictMain();
    }
    if (ghosts.delete(key)) main.set(key, 0);
    else small.set(key, 0);
    return false;
  };
}

function first<V>(map: ReadonlyMap<number, V>): number {
  return map.keys().next().value as number;
}

/** The hit ratio in % of whoever knows the future (Bélády, 1966): what is asked for last of all goes, or does not come in. */
export function belady(trace: Int32Array, capacity: number): number {
  const nextUse = new Int32Array(trace.length);
  const seen = new Map<number, number>();
  for (let i = trace.length - 1; i >= 0; i--) {
    nextUse[i] = seen.get(trace[i] as number) ?? never;
    seen.set(trace[i] as number, i);
  }
  const kept = new Map<number, number>();
  const latest = new LatestFirst();
  let hits = 0;
  for (let i = 0; i < trace.length; i++) {
    const key = trace[i] as number;
    const next = nextUse[i] as number;
    if (kept.has(key)) hits++;
    else if (kept.size >= capacity) {
      const victim = latest.take((use, each) => kept.get(each) === use);
      if (victim.use < next) {
        latest.add(victim.use, victim.key);
        continue;
      }
      kept.delete(victim.key);
    }
    kept.set(key, next);
    latest.add(next, key);
  }
  return (100 * hits) / trace.length;
}

const never = 2 ** 30;

/** A heap of keys by their next use, the latest first. Uses that are past stay in it until they are met. */
class LatestFirst {
  readonly #rows: { readonly use: number; readonly key: number }[] = [];

  add(use: number, key: number): void {
    const rows = this.#rows;
    const made = { use, key };
    let at = rows.push(made) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = rows[parent] as { use: number; key: number };
      if (above.use >= use) break;
      rows[at] = above;
      at = parent;
    }
    rows[at] = made;
  }

  take(isCurrent: (use: number, key: number) => boolean): { readonly use: number; readonly key: number } {
    for (;;) {
      const first = this.#pop();
      if (isCurrent(first.use, first.key)) return first;
    }
  }

  #pop(): { readonly use: number; readonly key: number } {
    const rows = this.#rows;
    const first = rows[0] as { use: number; key: number };
    const last = rows.pop() as { use: number; key: number };
    if (rows.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= rows.length) break;
      if (
        child + 1 < rows.length &&
        (rows[child + 1] as { use: number }).use > (rows[child] as { use: number }).use
      )
        child++;
      const below = rows[child] as { use: number; key: number };
      if (below.use <= last.use) break;
      rows[at] = below;
      at = child;
    }
    rows[at] = last;
    return first;
  }
}
