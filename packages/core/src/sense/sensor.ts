import type { CgroupReading } from './cgroup.ts';
import type { Floor, GcCount } from './floor.ts';
import type { SensedNumbers } from './reading-fields.ts';

/** What the runtime and the kernel say at one moment, before anything is concluded. */
export interface Vitals extends SensedNumbers {
  /** `heap_size_limit` of V8: old generation plus a young reserve. */
  readonly heapSizeLimit: number;
  readonly cgroup: CgroupReading | undefined;
  readonly floor: Floor | undefined;
  /** Collections since the previous read. */
  readonly gc: GcCount;
}

/** Where the sampler gets its vitals from; a test injects its own. */
export interface Sensor {
  /** `lateMs` is how late the reading comes; a stop of an idle loop shows by nothing else. */
  read(lateMs?: number): Vitals;
  /** True when the process hardly ran since this was asked last, and its resident set is that of the last read. Costs a tenth of a read. */
  isAtRest?(): boolean;
  /** Bytes the sensor itself retains. */
  readonly retainedBytes: number;
  /** Gives back descriptors and handles. */
  stop(): void;
}
