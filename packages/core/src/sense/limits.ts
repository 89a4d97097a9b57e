import { formatByteSize } from '../units/byte-size.ts';
import { oldSpace } from './old-space.ts';
import type { OldSpace } from './old-space.ts';
import type { CgroupReading } from './cgroup.ts';
import type { Vitals } from './sensor.ts';

/** What a limit is measured against. */
export type LimitSource = 'heap' | 'cgroup' | 'native' | 'policy';

/** One number that must not be passed. */
export interface Limit {
  readonly source: LimitSource;
  readonly bytes: number;
  /** What counts against it and where it comes from, in words. */
  readonly why: string;
}

/** What counts against one limit now. */
export interface Pressure {
  readonly source: LimitSource;
  readonly used: number;
  readonly limit: number;
}

/** Limits an operator adds; each is optional. */
export interface LimitPolicy {
  /** Share of old space that may hold live objects, default 0.80: from there on V8 counts towards giving up. */
  readonly heapRatio?: number;
  /** Bytes of live heap and external memory together for the whole process. */
  readonly processBytes?: number;
  /** Bytes of external memory, ArrayBuffers included. */
  readonly nativeBytes?: number;
}

/** Every limit in force; `binding` is the lowest, the one that is reached first when everything grows. */
export interface Limits {
  readonly all: readonly Limit[];
  readonly binding: Limit;
}

/** Default share of old space: V8 aborts from there when collections no longer help (`IsIneffectiveMarkCompact`). */
export const usableHeapRatio = 0.8;

/** The true limit: 80 % of old space, the control group's, the policy's, whichever binds first. */
export function limits(
  options: { policy?: LimitPolicy; cgroup?: CgroupReading | undefined; oldSpace?: OldSpace } = {},
): Limits {
  const { policy = {}, cgroup } = options;
  const old = options.oldSpace ?? oldSpace();
  const ratio = policy.heapRatio ?? usableHeapRatio;
  const all: Limit[] = [
    {
      source: 'heap',
      bytes: Math.floor(ratio * old.bytes),
      why: `live heap, ${Math.round(100 * ratio)} % of ${formatByteSize(old.bytes)} old space (${old.from})`,
    },
  ];
  if (cgroup?.limit !== undefined) {
    all.push({ source: 'cgroup', bytes: cgroup.limit, why: `working set, ${cgroup.limitFile}` });
  }
  if (policy.processBytes !== undefined) {
    all.push({ source: 'policy', bytes: policy.processBytes, why: 'live heap and external memory' });
  }
  if (policy.nativeBytes !== undefined) {
    all.push({ source: 'native', bytes: policy.nativeBytes, why: 'external memory and ArrayBuffers' });
  }
  return { all, binding: all.reduce((low, next) => (next.bytes < low.bytes ? next : low)) };
}

/** The text printed at boot: every limit, lowest marked, and what the operator should know about them. */
export function describeLimits(found: Limits): string {
  const lines = found.all.map((limit) => {
    const mark = limit === found.binding ? '  binds first' : '';
    return `  ${limit.source.padEnd(7)} ${formatByteSize(limit.bytes).padStart(10)}  ${limit.why}${mark}`;
  });
  const heap = found.all.find((limit) => limit.source === 'heap');
  const cgroup = found.all.find((limit) => limit.source === 'cgroup');
  if (heap !== undefined && cgroup !== undefined && heap.bytes > cgroup.bytes) {
    lines.push(
      `  note: V8 may grow past the control group; --max-old-space-size=${Math.floor((0.75 * cgroup.bytes) / 1024 ** 2)} would leave it a quarter for the rest.`,
    );
  }
  return [`limits:`, ...lines].join('\n');
}

/** Live heap as far as it is known: the floor, or less when more than that has been freed since; raw use before the first major GC. */
export function liveHeap(vitals: Pick<Vitals, 'floor' | 'heapUsed'>): number {
  return vitals.floor === undefined ? vitals.heapUsed : Math.min(vitals.floor.bytes, vitals.heapUsed);
}

/** What counts against each limit; the first has the highest ratio. */
export function pressures(found: Limits, vitals: Vitals): readonly Pressure[] {
  const list = found.all.map(({ source, bytes }) => ({ source, used: usedOf[source](vitals), limit: bytes }));
  return list.sort((a, b) => b.used / b.limit - a.used / a.limit);
}

const usedOf: Readonly<Record<LimitSource, (vitals: Vitals) => number>> = {
  heap: liveHeap,
  cgroup: (vitals) => vitals.cgroup?.workingSet ?? 0,
  policy: (vitals) => liveHeap(vitals) + vitals.external,
  native: (vitals) => vitals.external,
};
