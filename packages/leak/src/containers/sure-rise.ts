import type { GrownContainer } from './container-counts.ts';

/** Odds of 20 to 1 count as certain. */
export const sureOdds = Math.log(20);
/** When the floors do not grow, a container that gained this many times faster before it was found also slows down. */
export const mostFormerPace = 1.5;
/** Least gained bytes of a container that matter by themselves, as for growth of the heap. */
const leastBytes = 256 * 1024;

export function gainedBytesOf({ gained, entryBytes }: GrownContainer): number {
  return gained * entryBytes;
}

/** Whether a container certainly rises by bytes that matter, whatever the floors show. Counts have no noise. */
export function risesSurely(container: GrownContainer): boolean {
  const { shape, odds, formerPace } = container;
  const isSteady = shape === 'growing' && odds >= sureOdds && formerPace <= mostFormerPace;
  return isSteady && gainedBytesOf(container) >= leastBytes;
}
