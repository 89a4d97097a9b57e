import type { GrownContainer } from './container-counts.ts';

/** Odds of 20 to 1 are beyond doubt. */
export const sureOdds = Math.log(20);
/** Where the floors do not grow, a container that gained so many times faster before it was found slows down with them. */
export const mostFormerPace = 1.5;
/** What a container gained matters by itself from here on, as growth of the heap does. */
const leastBytes = 256 * 1024;

export function gainedBytesOf({ gained, entryBytes }: GrownContainer): number {
  return gained * entryBytes;
}

/** Whether a container rises steadily and beyond doubt by bytes that matter, whatever the floors say. Counts have no noise. */
export function risesSurely(container: GrownContainer): boolean {
  const { shape, odds, formerPace } = container;
  const isSteady = shape === 'growing' && odds >= sureOdds && formerPace <= mostFormerPace;
  return isSteady && gainedBytesOf(container) >= leastBytes;
}
