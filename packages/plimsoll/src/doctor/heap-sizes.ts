import { totalmem } from 'node:os';
import { heapThatFits } from '@plimsoll/core/internal/sense/limits';
import { formatByteSize } from '@plimsoll/core/units';
import type { Frame } from '@plimsoll/host/protocol/frame';

type Generations = NonNullable<Frame['heap']['generations']>;

/** A size that would serve this process better, and why. */
export interface SizeProposal {
  readonly flag: '--max-semi-space-size' | '--max-old-space-size';
  readonly nowMib: number;
  readonly mib: number;
  readonly why: string;
}

export interface HeapSizeFacts {
  readonly generations: Generations;
  /** Live heap after the last major GC; null before the first. */
  readonly floorBytes: number | null;
  /** Memory limit of the container; null when there is none. */
  readonly containerBytes: number | null;
  readonly machineBytes: number;
  /** Resident memory outside of the heap that the program holds: Buffers and other external memory. */
  readonly outsideBytes: number;
  /** True when known or suspected growth has no end, so that no size is large enough. */
  readonly isLeaking: boolean;
}

const MiB = 1024 ** 2;
/** Least number of minor collections for a proposal. */
const fewestMinors = 20;
const fewestMajors = 3;
/** Share of the time in collections above which a new size is worth it, and the target of each kind after the change. */
const gcShare = 0.02;
const goodShare = 0.01;
/** Acceptable share of allocated bytes that are promoted in vain. */
const goodPromotion = 0.02;
/** Most share of the available memory for all semi-spaces together. */
const youngShare = 0.1;
const largestSemiMib = 64;
/**
 * Most factor by which one proposal enlarges the semi-space, because the promoted share is not reliable when nearly everything is promoted.
 */
const largestStep = 8;
const largestOldMib = 4096;
/** From this share of old space on, live objects leave the collector too little room. */
const crowdedRatio = 0.7;

/** The facts of a frame for a proposal. */
export function heapSizeFacts(frame: Frame, isLeaking: boolean): HeapSizeFacts | undefined {
  const { heap, reading } = frame;
  if (heap.generations === undefined) return undefined;
  return {
    generations: heap.generations,
    floorBytes: reading.floor ?? null,
    containerBytes: reading.pressures?.find(({ source }) => source === 'cgroup')?.limit ?? null,
    machineBytes: totalmem(),
    outsideBytes: reading.external,
    isLeaking,
  };
}

/** Proposed sizes of V8's two generations by the measured promotion and pauses; empty when the current ones fit or too little is known. */
export function proposeHeapSizes(facts: HeapSizeFacts): readonly SizeProposal[] {
  return [semiSpaceFor(facts), oldSpaceFor(facts)].filter((proposal) => proposal !== undefined);
}

/**
 * Objects die at random with a mean life of L while the semi-space fills in T. One is promoted when it survives two minor GCs, the first of
 * which comes after a part of T: a share of (1 - e^-x) e^-x / x with x = T / L. The measured share gives x, and a semi-space k times as
 * large has k x.
 */
function semiSpaceFor({
  generations,
  containerBytes,
  machineBytes,
}: HeapSizeFacts): SizeProposal | undefined {
  const { ms, minor, major, youngBytes, promotedBytes, judgedBytes, deadBytes, semiSpaceBytes } = generations;
  if (minor.count < fewestMinors || major.count < 2 || judgedBytes === 0 || youngBytes === 0)
    return undefined;
  const share = (minor.pauseMs + major.pauseMs) / ms;
  const deadShare = deadBytes / judgedBytes;
  const inVain = (deadShare * promotedBytes) / youngBytes;
  if (share < gcShare || deadShare < 0.5 || inVain <= goodPromotion) return undefined;
  // V8 enlarges the semi-space by itself up to its maximum. While it has not, a higher maximum changes nothing.
  if (youngBytes / minor.count < semiSpaceBytes / 4) return undefined;
  const nowMib = semiSpaceBytes / MiB;
  const most = Math.min(
    largestSemiMib,
    largestStep * nowMib,
    (youngShare * (containerBytes ?? machineBytes)) / 3 / MiB,
  );
  const x = fillOf(inVain);
  let mib = nowMib;
  while (promotedShare((x * mib) / nowMib) > goodPromotion && 2 * mib <= most) mib *= 2;
  if (mib === nowMib) return undefined;
  const percent = (ratio: number): string => `${(100 * ratio).toFixed(ratio < 0.1 ? 1 : 0)} %`;
  const then = promotedShare((x * mib) / nowMib);
  return {
    flag: '--max-semi-space-size',
    nowMib,
    mib,
    why: `GC takes ${percent(share)} of the time, and ${percent(inVain)} of what is allocated is promoted to old space and dead at the next major GC; ${
      then > goodPromotion ? 'ask again afterwards' : `with ${mib} MiB about ${percent(then)} would be`
    }`,
  };
}

/** Share of the objects that is promoted while the semi-space fills in x mean lives. */
function promotedShare(x: number): number {
  return x < 1e-6 ? 1 : ((1 - Math.exp(-x)) * Math.exp(-x)) / x;
}

function fillOf(share: number): number {
  let low = 0;
  let high = 50;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (promotedShare(middle) > share) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Old space must hold the live heap and what is added between two major GCs. The time between them should be a hundred times the duration
 * of one. In a container it must fit beside everything else, or the kernel ends the process before V8 collects.
 */
function oldSpaceFor(facts: HeapSizeFacts): SizeProposal | undefined {
  const { generations, floorBytes, containerBytes, machineBytes, outsideBytes } = facts;
  const { ms, major, filledBytes, oldSpaceBytes, semiSpaceBytes } = generations;
  const room =
    containerBytes === null ? undefined : heapThatFits(containerBytes) - outsideBytes - 3 * semiSpaceBytes;
  const propose = (bytes: number, why: string): SizeProposal => ({
    flag: '--max-old-space-size',
    nowMib: Math.round(oldSpaceBytes / MiB),
    mib: Math.floor(bytes / (16 * MiB)) * 16,
    why,
  });
  if (room !== undefined && oldSpaceBytes > room && room > Math.max(32 * MiB, floorBytes ?? 0))
    return propose(
      0.9 * room,
      `the container of ${formatByteSize(containerBytes as number)} ends the process at about ${formatByteSize(room)} of heap, before V8 collects as hard as it can`,
    );
  if (facts.isLeaking || floorBytes === null || major.count < fewestMajors) return undefined;
  const most = Math.min(0.9 * (room ?? 0.5 * machineBytes), largestOldMib * MiB);
  const share = major.pauseMs / ms;
  const restMs = major.pauseMs / major.count / goodShare;
  const isBusy = share > gcShare && floorBytes > 0.4 * oldSpaceBytes;
  const isCrowded = floorBytes > crowdedRatio * oldSpaceBytes;
  if (!isBusy && !isCrowded) return undefined;
  const wanted = Math.max(1.5 * floorBytes, isBusy ? floorBytes + (filledBytes / ms) * restMs : 0);
  const bytes = Math.min(wanted, most);
  if (bytes < 1.15 * oldSpaceBytes) return undefined;
  return propose(
    bytes,
    isBusy
      ? `major GCs take ${Math.round(100 * share)} % of the time (${major.count} of ${Math.round(major.pauseMs / major.count)} ms each), because ${formatByteSize(floorBytes)} live in ${formatByteSize(oldSpaceBytes)}`
      : `${formatByteSize(floorBytes)} of ${formatByteSize(oldSpaceBytes)} old space are live, and there is memory for more`,
  );
}
