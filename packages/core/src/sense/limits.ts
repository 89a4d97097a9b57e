import { formatByteSize } from '../units/byte-size.ts';
import { oldSpace } from './old-space.ts';
import type { OldSpace } from './old-space.ts';
import type { CgroupReading } from './cgroup.ts';
import type { Vitals } from './sensor.ts';
import type { StrainReading } from './strain.ts';

const mib = 1024 ** 2;

/** What a limit is measured against. */
type LimitSource = 'heap' | 'cgroup' | 'native' | 'policy';

/** One number that must not be passed. */
interface Limit {
  readonly source: LimitSource;
  /** What is compared with the bytes that count against this limit. */
  readonly bytes: number;
  /** Live heap at which the process ends by it when nothing but the heap grows. */
  readonly endBytes: number;
  /** What counts against it and where it comes from, in words. */
  readonly why: string;
}

/** What counts against one limit now. */
export interface LimitUse {
  readonly source: LimitSource;
  readonly used: number;
  readonly limit: number;
  /** The collector or the kernel is thrashing against this limit. The process may end before the limit is reached. */
  readonly strained?: true;
  /** Bytes of the limit that a growing Map, Set or array will ask for in one piece. */
  readonly requestBytes?: number;
  /** Bytes at which the process ends, where that is not the limit: V8 aborts when old space is full. */
  readonly endBytes?: number;
}

/** Limits an operator adds; each is optional. */
export interface LimitPolicy {
  /** Share of old space that may hold live objects, default 0.80. */
  readonly heapRatio?: number;
  /** Bytes of live heap and external memory together for the whole process. */
  readonly processBytes?: number;
  /** Bytes of external memory, ArrayBuffers included. */
  readonly nativeBytes?: number;
}

/** Every limit in force; `binding` is the one that a growing heap reaches first. */
export interface Limits {
  readonly all: readonly Limit[];
  readonly binding: Limit;
}

/**
 * Default share of old space. In 92 real aborts the live heap after the last mark-compact was 0.98 to 1.02 of old space. From 0.80 on V8
 * of Node 20 to 25 may give up earlier, when collections take most of the time, and one growing Map ends at 0.66: above 0.80 no process
 * is safe.
 */
const usableHeapRatio = 0.8;

/** The limits of this process: V8's old space, the control group's, the policy's. */
export function limits(
  options: { policy?: LimitPolicy; cgroup?: CgroupReading | undefined; oldSpace?: OldSpace } = {},
): Limits {
  const { policy = {}, cgroup } = options;
  const old = options.oldSpace ?? oldSpace();
  const ratio = policy.heapRatio ?? usableHeapRatio;
  const heap: Limit = {
    source: 'heap',
    bytes: Math.floor(ratio * old.bytes),
    endBytes: old.bytes,
    why: `live heap, ${Math.round(100 * ratio)} % of ${formatByteSize(old.bytes)} old space (${old.from})`,
  };
  const all: Limit[] = [heap];
  let first = { limit: heap, bytes: heap.bytes };
  if (cgroup?.limit !== undefined) {
    const fits = heapThatFits(cgroup.limit);
    const group: Limit = {
      source: 'cgroup',
      bytes: cgroup.limit,
      endBytes: fits,
      why: `working set, ${cgroup.limitFile}; about ${formatByteSize(fits)} of heap fit`,
    };
    all.push(group);
    // The kernel or V8, whichever ends the process first.
    if (fits < old.bytes) first = { limit: group, bytes: fits };
  }
  if (policy.processBytes !== undefined) {
    const bytes = policy.processBytes;
    all.push({ source: 'policy', bytes, endBytes: bytes, why: 'live heap and external memory' });
  }
  if (policy.nativeBytes !== undefined) {
    const bytes = policy.nativeBytes;
    all.push({ source: 'native', bytes, endBytes: bytes, why: 'external memory and ArrayBuffers' });
  }
  for (const limit of all) {
    const isAdded = limit.source === 'policy' || limit.source === 'native';
    if (isAdded && limit.bytes < first.bytes) first = { limit, bytes: limit.bytes };
  }
  return { all, binding: first.limit };
}

/**
 * Heap at which the kernel ends a process that holds nothing but heap. Measured on Node 22, 24 and 26 in groups of 128 to 1,024 MiB: what
 * Node needs besides is 10 MiB and 4.5 % of the group.
 */
export function heapThatFits(groupBytes: number): number {
  return Math.max(mib, Math.floor(0.955 * groupBytes - 10 * mib));
}

/** Which limit binds and why, in one line. */
export function describeBinding({ all, binding }: Limits): string {
  const text = `${formatByteSize(binding.bytes)}: ${binding.why}`;
  const heap = all.find(({ source }) => source === 'heap') as Limit;
  if (binding.source === 'heap') return `${text}; V8 aborts near ${formatByteSize(heap.endBytes)}`;
  return binding.source === 'cgroup'
    ? `${text}, so the kernel ends the process before V8's ${formatByteSize(heap.endBytes)} old space is full`
    : text;
}

/** Live heap as far as it is known: the floor, or less when more than that has been freed since. Before the first major GC what is in use is an upper bound. */
export function liveHeap(vitals: Pick<Vitals, 'floor' | 'heapUsed'>): number {
  return vitals.floor === undefined ? vitals.heapUsed : Math.min(vitals.floor.bytes, vitals.heapUsed);
}

/** What counts against each limit; the first has the highest ratio. */
export function pressures(found: Limits, vitals: Vitals, strain?: StrainReading): readonly LimitUse[] {
  const request = vitals.floor?.nextTableBytes ?? 0;
  const list = found.all.map(({ source, bytes, endBytes }): LimitUse => {
    const isStrained = (source === 'heap' || source === 'cgroup') && strain?.[source] === true;
    return {
      source,
      used: usedOf[source](vitals),
      limit: bytes,
      ...(isStrained && { strained: true }),
      ...(source === 'heap' && request > 0 && { requestBytes: request }),
      ...(source === 'heap' && endBytes > bytes && { endBytes }),
    };
  });
  return list.sort((a, b) => b.used / b.limit - a.used / a.limit);
}

const usedOf: Readonly<Record<LimitSource, (vitals: Vitals) => number>> = {
  heap: liveHeap,
  cgroup: (vitals) => vitals.cgroup?.workingSet ?? 0,
  policy: (vitals) => liveHeap(vitals) + vitals.external,
  native: (vitals) => vitals.external,
};

/** From this share of where it ends on, the next request for memory may end the process. */
const lastRatio = 0.97;
/** Under strain V8 of Node 20 to 25 may give up from this share of old space on. */
const strainedRatio = 0.8;
const hourMs = 3_600_000;

/**
 * Ms until V8 or the kernel ends the process, if it goes on growing by so many bytes per hour. 0 when it may happen at any moment,
 * undefined when it is not in sight.
 */
export function endsInMs(found: Limits, uses: readonly LimitUse[], bytesPerHour: number): number | undefined {
  let soonest: number | undefined;
  for (const { source, used, strained, requestBytes = 0 } of uses) {
    const limit = found.all.find((each) => each.source === source);
    if (limit === undefined || (source !== 'heap' && source !== 'cgroup')) continue;
    const endBytes = source === 'heap' ? limit.endBytes - requestBytes : limit.bytes;
    const isNear = used >= lastRatio * endBytes || (strained === true && used >= strainedRatio * endBytes);
    const pace = bytesPerHour > 0 ? (Math.max(0, endBytes - used) / bytesPerHour) * hourMs : undefined;
    const ms = isNear ? 0 : pace;
    if (ms !== undefined && ms < (soonest ?? Number.POSITIVE_INFINITY)) soonest = ms;
  }
  return soonest;
}
