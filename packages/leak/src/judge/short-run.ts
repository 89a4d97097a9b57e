import { formatByteSize } from '@plimsoll/core/units';
import type { Judgement, GrowthShape } from './growth-shape.ts';
import type { Channel, ChannelVerdict, Judge, Verdict } from './verdict.ts';

const verdictOf: Readonly<Record<GrowthShape, Verdict>> = {
  few: 'undecided',
  flat: 'clean',
  ended: 'clean',
  slowing: 'undecided',
  unclear: 'undecided',
  growing: 'leak',
};

/**
 * Growth below this that slows down, or that snapshots do not explain, is warm-up. Compiled code is not among what is judged; what is left
 * of warm-up (feedback of functions, maps of objects) was up to 150 KiB in the half minute after the host was loaded.
 */
export const smallGrowthBytes = 320 * 1024;

/** The judge of a run by its floors, without load or time of day. Its `leak` has to be explained by a snapshot, sites or survivors. */
export class ShortRun<Name extends Channel> implements Judge {
  readonly verdicts: readonly (ChannelVerdict & { readonly channel: Name; readonly judgement: Judgement })[];

  constructor(channels: Readonly<Record<Name, Judgement>>) {
    this.verdicts = (Object.entries(channels) as [Name, Judgement][])
      .map(([channel, judgement]) => ({
        channel,
        judgement,
        verdict: isWarmUp(judgement) ? 'clean' : verdictOf[judgement.shape],
        reason: reasonOf(judgement),
        growthBytes: judgement.growthBytes,
      }))
      .toSorted((a, b) => b.growthBytes - a.growthBytes);
  }

  /** Whether a channel grew and a snapshot may decide about it: it leaks, slows down, or cannot be told yet. */
  get isOpen(): boolean {
    return this.verdicts.some(({ verdict, judgement }) => verdict !== 'clean' && judgement.shape !== 'few');
  }

  /** The channels with a verdict, most growth first. */
  with(verdict: Verdict): ShortRun<Name>['verdicts'] {
    return this.verdicts.filter((each) => each.verdict === verdict);
  }
}

/** Feedback and maps of the program and of Plimsoll creep in like this for half a minute. */
function isWarmUp({ shape, growthBytes }: Judgement): boolean {
  return shape === 'slowing' && growthBytes < smallGrowthBytes;
}

function reasonOf({ shape, growthBytes, floors, rate }: Judgement): string {
  if (shape === 'few') return `had ${floors} major GCs, which are too few to judge by`;
  if (shape === 'flat') return `did not grow by anything that matters over ${floors} floors`;
  const grew = `grew by ${formatByteSize(Math.max(0, growthBytes))} over ${floors} floors`;
  if (shape === 'ended') return `${grew} and came to rest`;
  const pace = rate.perHour > 0 ? `, by ${formatByteSize(rate.perHour)} per hour at the end,` : '';
  if (shape === 'slowing')
    return growthBytes < smallGrowthBytes
      ? `${grew} ever more slowly, as a program does that warms up`
      : `${grew}${pace} ever more slowly, as a cache does that fills`;
  if (shape === 'unclear') return `${grew}${pace} and whether it goes on cannot be told yet`;
  return `${grew}${pace} and did not slow down`;
}
