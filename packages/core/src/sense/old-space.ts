/**
 * The most live heap that V8 holds before it gives up: its old space. No API tells it. `heap_size_limit` is old space plus 3 semi-spaces,
 * and the size of a semi-space follows from the version of V8, the flags and the memory of the machine or container.
 *
 * The rules below were read in the sources of Node 20 to 26 and compared with 882 readings of `heap_size_limit` on Node 22.23, 24.21
 * and 26.10 (20 control groups from 64 MiB to 20 GiB and none, with flags): every one was exact. `npm run bench -- limits` compares them
 * with real aborts.
 */
import { totalmem } from 'node:os';
import v8 from 'node:v8';
import { resourceLimits } from 'node:worker_threads';
import { formatByteSize } from '../units/byte-size.ts';

const mib = 1024 ** 2;
const pageBytes = 256 * 1024;

export interface OldSpaceFacts {
  readonly heapSizeLimit: number;
  readonly execArgv: readonly string[];
  readonly nodeOptions: string;
  /** `process.versions.v8`. */
  readonly v8Version: string;
  /** `resourceLimits.maxYoungGenerationSizeMb` of a worker; the main thread has none. */
  readonly youngReserveMib: number | undefined;
  /** Memory that Node took as its own at the start: the control group's, or the machine's. */
  readonly memoryBytes: number;
}

export interface OldSpace {
  readonly bytes: number;
  /** Where the figure comes from, as it reads in brackets. */
  readonly from: string;
  /**
   * Share of old space from which V8 may give up although there is room: after four mark-compacts in a row that took most of the time
   * and freed little (`ineffective_gc_size_threshold`).
   */
  readonly giveUpRatio: number;
}

/** Versions of V8 with the same rule for the size of a semi-space, named by their Node. */
type Rule = 22 | 24 | 26;

/** Old space of this thread. */
export function oldSpace(facts: OldSpaceFacts = threadFacts()): OldSpace {
  const rule = ruleOf(facts.v8Version);
  return { ...sizeOf(facts, rule), giveUpRatio: rule === 26 ? 0.95 : 0.8 };
}

/** What this thread was started with. */
export function threadFacts(): OldSpaceFacts {
  const constrained = process.constrainedMemory();
  const total = totalmem();
  return {
    heapSizeLimit: v8.getHeapStatistics().heap_size_limit,
    execArgv: process.execArgv,
    nodeOptions: process.env['NODE_OPTIONS'] ?? '',
    v8Version: process.versions.v8,
    youngReserveMib: resourceLimits.maxYoungGenerationSizeMb,
    // Without a limit Node answers 0, or nearly 2^64 under version 1 of control groups.
    memoryBytes: constrained > 0 && constrained < total ? constrained : total,
  };
}

function sizeOf(facts: OldSpaceFacts, rule: Rule): Omit<OldSpace, 'giveUpRatio'> {
  const flags = [...splitOptions(facts.nodeOptions), ...facts.execArgv];
  const { heapSizeLimit, memoryBytes, youngReserveMib } = facts;
  const less = (semiBytes: number, from: string): Omit<OldSpace, 'giveUpRatio'> => ({
    bytes: heapSizeLimit - 3 * powerOfTwo(semiBytes),
    from,
  });
  const asked = askedMib(flags, memoryBytes);
  if (asked !== undefined && isReserve(heapSizeLimit - asked.mib * mib))
    return { bytes: asked.mib * mib, from: asked.flag };
  const semi = flagNumber(flags, 'max-semi-space-size');
  const asDefault = `default of V8 for ${formatByteSize(memoryBytes)} of memory`;
  if (semi !== undefined) return less(semi * mib, asDefault);
  const heap = flagNumber(flags, 'max-heap-size');
  if (heap !== undefined) return less(semiUnderHeap(heap * mib, rule), `--max-heap-size=${heap}`);
  if (youngReserveMib !== undefined && youngReserveMib > 0)
    return less(Math.max(rule === 26 ? 0 : mib, (youngReserveMib * mib) / 3), 'resourceLimits of the worker');
  // The size of the young part follows from old space, and only their sum is known: one candidate agrees with itself.
  for (let candidate = mib; candidate <= 64 * mib; candidate *= 2) {
    const old = heapSizeLimit - 3 * candidate;
    if (old < 256 * mib) break;
    const isSmallest = rule === 26 && old === 256 * mib && candidate <= 4 * mib;
    if (isSmallest || powerOfTwo(semiSpace(old, rule)) === candidate) return { bytes: old, from: asDefault };
  }
  return less(semiSpace(heapSizeLimit, rule), `heap_size_limit ${formatByteSize(heapSizeLimit)}`);
}

/** `--max-old-space-size`, or the percentage of memory, which wins over it. */
function askedMib(
  flags: readonly string[],
  memoryBytes: number,
): { readonly mib: number; readonly flag: string } | undefined {
  const percent = flagNumber(flags, 'max-old-space-size-percentage');
  if (percent !== undefined) {
    const asked = Math.floor((Math.floor(memoryBytes / mib) * percent) / 100);
    return { mib: asked, flag: `--max-old-space-size-percentage=${percent}` };
  }
  const size = flagNumber(flags, 'max-old-space-size');
  return size === undefined ? undefined : { mib: size, flag: `--max-old-space-size=${size}` };
}

/** Whether this can be what V8 adds for the young part. If not, the flag is not the one that this process was started with. */
function isReserve(bytes: number): boolean {
  return bytes > 0 && 3 * powerOfTwo(bytes / 3) === bytes;
}

function ruleOf(v8Version: string): Rule {
  const [major = 0, minor = 0] = v8Version.split('.').map(Number);
  const version = 100 * major + minor;
  if (version > 1401) return 26;
  return version >= 1300 ? 24 : 22;
}

/** Default semi-space beside this old space, before it is rounded up to a power of two. Node 26 takes memory / 128, which is old / 64. */
function semiSpace(oldBytes: number, rule: Rule): number {
  if (rule === 26) return pages(clamp(oldBytes / 64, 2 * mib, 32 * mib));
  const share = oldBytes <= 256 * mib ? 256 : rule === 24 ? 32 : 128;
  return pages(clamp(oldBytes / share, mib, (rule === 24 ? 64 : 16) * mib));
}

/** Semi-space under `--max-heap-size`, which holds the young part, too. */
function semiUnderHeap(heapBytes: number, rule: Rule): number {
  if (rule === 26) {
    const young = 3 * pages(clamp(heapBytes / 32, 2 * mib, 32 * mib));
    return (Math.ceil(young / mib) * mib) / 3;
  }
  let old = heapBytes;
  while (old > pageBytes && old + 3 * semiSpace(old, rule) > heapBytes) old -= pageBytes;
  return semiSpace(old, rule);
}

function powerOfTwo(bytes: number): number {
  let size = mib / 2;
  while (size < bytes) size *= 2;
  return size;
}

const pages = (bytes: number): number => Math.ceil(bytes / pageBytes) * pageBytes;
const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** The last value of a flag, in either spelling; the command line comes after NODE_OPTIONS and wins. */
function flagNumber(flags: readonly string[], name: string): number | undefined {
  let value: number | undefined;
  flags.forEach((flag, i) => {
    const [key, inline] = flag.split('=', 2);
    if (key?.replaceAll('_', '-') !== `--${name}`) return;
    const parsed = Number(inline ?? flags[i + 1]);
    if (Number.isFinite(parsed) && parsed > 0) value = parsed;
  });
  return value;
}

function splitOptions(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
