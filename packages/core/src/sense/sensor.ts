import type { CgroupReading } from './cgroup.ts';
import type { Floor, GcCount } from './floor-watch.ts';

/** What the runtime and the kernel say at one moment, before anything is concluded. */
export interface Vitals {
  readonly heapUsed: number;
  /** `heap_size_limit` of V8: old generation plus a young reserve. */
  readonly heapSizeLimit: number;
  readonly external: number;
  readonly arrayBuffers: number;
  readonly rss: number;
  readonly cgroup: CgroupReading | undefined;
  readonly floor: Floor | undefined;
  /** Collections since the previous read. */
  readonly gc: GcCount;
  /** Longest event-loop delay since the previous read. */
  readonly loopDelayMs: number;
  /** Share of the time since the previous read that the loop was busy, 0 to 1. */
  readonly loopUtilization: number;
}

/** Where the sampler gets its vitals from; a test injects its own. */
export interface Sensor {
  read(): Vitals;
  /** Bytes the sensor itself retains. */
  readonly retainedBytes: number;
  /** Gives back descriptors and handles. */
  stop(): void;
}
