import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { EventLoopUtilization } from 'node:perf_hooks';
import v8 from 'node:v8';
import { Cgroup } from './cgroup.ts';
import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import type { FloorSource } from './floor.ts';
import { Resident } from './resident.ts';
import type { Sensor, Vitals } from './sensor.ts';

/** Share of the time in which a process at rest runs at most. Our own work takes about half of it. */
const restBelow = 0.005;
/** What the resident set of a process at rest moves by at most. */
const restBytes = 1024 ** 2;

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
    // Each of the two histograms of delays is an HDR histogram of V8's embedder: 3 significant digits up to an hour.
    return this.#resident.retainedBytes + this.#cgroup.retainedBytes + 2 * 192 * 1024;
  }

  read(): Vitals {
    const now = this.#clock.monotonic();
    const heap = v8.getHeapStatistics() as ReturnType<typeof v8.getHeapStatistics> & {
      external_memory: number;
    };
    const before = this.#utilization;
    this.#utilization = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(this.#utilization, before);
    const gc = this.#floors.read();
    return {
      heapUsed: heap.used_heap_size,
      heapSizeLimit: heap.heap_size_limit,
      external: heap.external_memory,
      arrayBuffers: this.#readArrayBuffers(now, heap.external_memory),
      rss: (this.#rss = this.#resident.bytes()),
      cgroup: this.#cgroup.read(now),
      floor: this.#floors.floor,
      gc,
      loopDelayMs: this.#delay.read(utilization),
      loopUtilization: utilization,
    };
  }

  isAtRest(): boolean {
    const before = this.#asked;
    this.#asked = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(this.#asked, before);
    return utilization < restBelow && Math.abs(this.#resident.bytes() - this.#rss) < restBytes;
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

type Histogram = ReturnType<typeof monitorEventLoopDelay>;

/**
 * How often the delay of the event loop is looked at, ms. Each look wakes an idle process: 20 ms took 3 ms of CPU per second, more than all
 * else that the host does at rest. A longer stop is seen whole but for its first step at most.
 */
const busyStepMs = 100;
const idleStepMs = 500;
/** Share of the time in which the loop ran, below which the process is idle: in one second no stop was longer than 10 ms. */
const idleBelow = 0.01;

/** The longest delay of the event loop between two readings; looked at more rarely while the loop hardly runs. */
export class LoopDelay {
  readonly #busy = monitorEventLoopDelay({ resolution: busyStepMs });
  readonly #idle = monitorEventLoopDelay({ resolution: idleStepMs });
  #isIdle = false;

  constructor() {
    this.#busy.enable();
  }

  /** Ms since the last call. `utilization` is the share of that time in which the loop ran. */
  read(utilization: number): number {
    const delay = this.#isIdle ? longest(this.#idle, idleStepMs) : longest(this.#busy, busyStepMs);
    const isIdle = utilization < idleBelow;
    if (isIdle !== this.#isIdle) {
      this.#isIdle = isIdle;
      (isIdle ? this.#busy : this.#idle).disable();
      (isIdle ? this.#idle : this.#busy).enable();
    }
    return delay;
  }

  stop(): void {
    this.#busy.disable();
    this.#idle.disable();
  }
}

function longest(histogram: Histogram, stepMs: number): number {
  const ms = Math.max(0, histogram.max / 1e6 - stepMs);
  histogram.reset();
  return ms;
}
