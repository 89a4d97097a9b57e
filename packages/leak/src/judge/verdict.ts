import { createHash } from 'node:crypto';

/** What is decided about growth. `clean` is only said when enough was seen and nothing grows. */
export type Verdict = 'leak' | 'clean' | 'undecided';

/** The quantities of a process that are judged. `population` is open scopes for the load there is; only a long run can tell it. */
export type Channel = 'heap' | 'external' | 'native' | 'population';

/** What a judge says of one channel. */
export interface ChannelVerdict {
  readonly channel: Channel;
  readonly verdict: Verdict;
  /** One sentence part that a user understands, e.g. `grew by 4.2 MiB over 17 floors and did not slow down`. */
  readonly reason: string;
  /** Bytes gained over what was judged. */
  readonly growthBytes: number;
}

/** One interface for short runs (`ShortRun`, minutes of floors) and long ones (`LongRun`, hours with load and time of day). */
export interface Judge {
  readonly verdicts: readonly ChannelVerdict[];
}

const fingerprints = new Map<Channel, string>();

/** Group key of growth in a channel; the same across restarts. */
export function growthFingerprint(channel: Channel): string {
  let found = fingerprints.get(channel);
  if (found === undefined) {
    found = createHash('sha256').update(`growth\0${channel}`).digest('hex').slice(0, 16);
    fingerprints.set(channel, found);
  }
  return found;
}
