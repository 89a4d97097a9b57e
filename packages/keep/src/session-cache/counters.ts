/** What a cache counted since it was made. */
export interface Counters {
  hits: number;
  misses: number;
  opened: number;
  evicted: number;
  expired: number;
  closed: number;
  overcommits: number;
  leasesHeldLong: number;
  collected: number;
}

export function newCounters(): Counters {
  return {
    hits: 0,
    misses: 0,
    opened: 0,
    evicted: 0,
    expired: 0,
    closed: 0,
    overcommits: 0,
    leasesHeldLong: 0,
    collected: 0,
  };
}
