import { formatByteSize } from '@plimsoll/core/units';
import type { Judgement, Shape } from './short-series.ts';
import type { Channel, ChannelVerdict, Judge, Verdict } from './verdict.ts';

const verdictOf: Readonly<Record<Shape, Verdict>> = {
  few: 'undecided',
  flat: 'clean',
  settling: 'clean',
  growing: 'leak',
};

/** The judge of short runs: minutes of floors, without load or time of day. Its `leak` has to be explained by a snapshot or survivors. */
export class ShortRun<Name extends Channel> implements Judge {
  readonly verdicts: readonly (ChannelVerdict & { readonly channel: Name })[];

  constructor(channels: Readonly<Record<Name, Judgement>>) {
    this.verdicts = (Object.entries(channels) as [Name, Judgement][]).map(([channel, judgement]) => ({
      channel,
      verdict: verdictOf[judgement.shape],
      reason: reasonOf(judgement),
      growthBytes: judgement.growthBytes,
    }));
  }

  /** The first channel that grows. */
  get leak(): (ChannelVerdict & { readonly channel: Name }) | undefined {
    return this.verdicts.find(({ verdict }) => verdict === 'leak');
  }
}

function reasonOf({ shape, growthBytes, floors }: Judgement): string {
  if (shape === 'few') return `had ${floors} major GCs, which are too few to judge by`;
  if (shape === 'flat') return `did not grow by anything that matters over ${floors} floors`;
  const grew = `grew by ${formatByteSize(growthBytes)} over ${floors} floors`;
  return shape === 'settling' ? `${grew} and came to rest` : `${grew} and did not slow down`;
}
