import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { EventLoopUtilization } from 'node:perf_hooks';
import v8 from 'node:v8';
import { Cgroup } from './cgroup.ts';
import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import type { FloorSource } from './floor.ts';
import { Resident } from './resident.ts';
import type { Sensor, Vitals } from './sensor.ts';

/**
 * Share of the time in which a process at rest runs at most. Timers of a server that nobody asks take half of it: metrics that look at the
 * event loop every 10 ms, pings, pools. So the rest of a server with them is found, too. Our own work takes a tenth.
 */
const restBelow = 0.01;
/** What the resident set of a process at rest moves by at most. */
const restBytes = 1024 ** 2;
/**
 * Its resident set is asked for only after so many page faults, the fewest that such a move takes, or this share of a core used by all
 * threads: a huge page is one fault, and filling it takes time. Faults and time cost a third of the kernel's file.
 */
const restFaults = restBytes / 4096;
const restCpuRatio = 0.02;

/** The sensor of this thread: V8 and the event loop for the thread, resident set and control group for the process. */
export class ProcessSensor implements Sensor {
  readonly #floors: FloorSource;
  readonly #clock: Clock;
  readonly #resident: Resident;
  readonly #cgroup: Cgroup;
  readonly #delay = new LoopDelay();
  #utilization: EventLoopUtilization = performance.eventLoopUtilization();
  /** When `isAtRest` was asked last. */
  #asked: EventLoopUtilization = this.#utilization;
  /** When the resident set was read last. */
  #usage = process.resourceUsage();
  #usageAt = performance.now();
  #rss = 0;
  #arrayBuffers = 0;
  #arrayBuffersAt = Number.NEGATIVE_INFINITY;
  /** External memory when the array buffers were read. */
  #external = 0;

  /** `root` is where /proc and /sys are looked for, default "/". */
  constructor(options: { floors: FloorSource; clock?: Clock; root?: string }) {
    this.#clock = options.clock ?? systemClock;
    this.#floors = options.floors;
    this.#resident = new Resident(options.root);
    this.#cgroup = new Cgroup(options.root === undefined ? {} : { root: options.root });
  }

  get retainedBytes(): number {
    // The delays are in an HDR histogram of V8's embedder: 3 significant digits up to an hour.
    return this.#resident.retainedBytes + this.#cgroup.retainedBytes + 192 * 1024;
  }

  read(lateMs = 0): Vitals {
    const now = this.#clock.monotonic();
    const heap = v8.getHeapStatistics() as ReturnType<typeof v8.getHeapStatistics> & {
      external_memory: number;
    };
    const before = this.#utilization;
    this.#utilization = performance.eventLoopUtilization();
    const { utilization, active } = performance.eventLoopUtilization(this.#utilization, before);
    const gc = this.#floors.read();
    return {
      heapUsed: heap.used_heap_size,
      heapSizeLimit: heap.heap_size_limit,
      external: heap.external_memory,
      arrayBuffers: this.#readArrayBuffers(now, heap.external_memory),
      rss: this.#readRss(),
      cgroup: this.#cgroup.read(now),
      floor: this.#floors.floor,
      gc,
      loopDelayMs: this.#delay.read(utilization, Math.min(lateMs, active)),
      loopUtilization: utilization,
    };
  }

  isAtRest(): boolean {
    const before = this.#asked;
    this.#asked = performance.eventLoopUtilization();
    const active = this.#asked.active - before.active;
    if (active >= restBelow * (active + this.#asked.idle - before.idle)) return false;
    return !this.#mayHaveMoved() || Math.abs(this.#resident.bytes() - this.#rss) < restBytes;
  }

  #readRss(): number {
    this.#usage = process.resourceUsage();
    this.#usageAt = performance.now();
    return (this.#rss = this.#resident.bytes());
  }

  /** False when the process did too little since the last read for its resident set to have grown by much. */
  #mayHaveMoved(): boolean {
    const { minorPageFault, majorPageFault, userCPUTime, systemCPUTime } = process.resourceUsage();
    const before = this.#usage;
    const faults = minorPageFault + majorPageFault - before.minorPageFault - before.majorPageFault;
    const cpuMs = (userCPUTime + systemCPUTime - before.userCPUTime - before.systemCPUTime) / 1000;
    return faults >= restFaults || cpuMs >= restCpuRatio * (performance.now() - this.#usageAt);
  }

  stop(): void {
    this.#delay.stop();
    this.#floors.stop();
    this.#resident.close();
    this.#cgroup.close();
  }

  /**
   * Only `process.memoryUsage()` tells this one, at 9 to 60 µs for its own look at the resident set: at most once a second, and every ten
   * seconds while external memory, which it is a part of, stays the same.
   */
  #readArrayBuffers(now: number, external: number): number {
    const ageMs = now - this.#arrayBuffersAt;
    if (ageMs < 900 || (ageMs < 9900 && external === this.#external)) return this.#arrayBuffers;
    this.#arrayBuffersAt = now;
    this.#external = external;
    try {
      this.#arrayBuffers = process.memoryUsage().arrayBuffers;
    } catch {
      // The process is out of descriptors. The last figure stays.
    }
    return this.#arrayBuffers;
  }
}

/**
 * How often the delay of the event loop is looked at, ms. Each look wakes an idle process: 20 ms took 3 ms of CPU per second, more than all
 * else that the host does at rest. A longer stop is seen whole but for its first step at most.
 */
const stepMs = 100;
/** Share of the time in which the loop ran, below which the process is idle: in one second no stop was longer than 10 ms. */
const idleBelow = 0.01;

/**
 * The longest delay of the event loop between two readings. While the loop hardly runs, nothing wakes it to look. A stop then shows by how
 * late it made the reading.
 */
export class LoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: stepMs });
  #isIdle = false;

  constructor() {
    this.#histogram.enable();
  }

  /** Ms since the last call. `utilization` is the share of that time in which the loop ran, `lateMs` how late it made this call. */
  read(utilization: number, lateMs: number): number {
    const delay = this.#isIdle ? lateMs : Math.max(0, this.#histogram.max / 1e6 - stepMs);
    const isIdle = utilization < idleBelow;
    if (!isIdle || !this.#isIdle) this.#histogram.reset();
    if (isIdle !== this.#isIdle) {
      this.#isIdle = isIdle;
      if (isIdle) this.#histogram.disable();
      else this.#histogram.enable();
    }
    return delay;
  }

  stop(): void {
    this.#histogram.disable();
  }
}
