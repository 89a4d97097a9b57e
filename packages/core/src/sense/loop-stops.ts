import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { EventLoopUtilization } from 'node:perf_hooks';

/** A stop is seen whole but for its first 100 ms at most. Shorter ones are not told. */
const stepMs = 100;
/** Below half of a step per second in so many readings, the monitor is turned off. */
const calmMs = stepMs / 2;
const calmReadings = 10;
/** With at most so many turns of the loop, the busy time was mostly one of them. */
const fewTurns = 20;

/** What Node.js measures the delay of its loop with. */
interface DelayMonitor {
  readonly max: number;
  enable(): unknown;
  disable(): unknown;
  reset(): void;
}

/** The longest stop of the event loop and its use, since the last reading. */
interface LoopUse {
  readonly loopDelayMs: number;
  readonly loopUtilization: number;
}

/**
 * Finds stops of the event loop. The monitor of Node.js wakes an idle process ten times a second, which took a fifth of all that the host
 * does at rest. So it runs only while the loop is busy: no stop can be longer than the time that the loop was busy in all, and that time
 * is known without a timer.
 */
export class LoopStops {
  readonly #monitor: DelayMonitor;
  #isOn = false;
  #calm = 0;
  #utilization: EventLoopUtilization = performance.eventLoopUtilization();
  #turns = turnsOfLoop();

  constructor(monitor: DelayMonitor = monitorEventLoopDelay({ resolution: stepMs })) {
    this.#monitor = monitor;
  }

  read(): LoopUse {
    const before = this.#utilization;
    const turnsBefore = this.#turns;
    this.#utilization = performance.eventLoopUtilization();
    this.#turns = turnsOfLoop();
    const { active, utilization } = performance.eventLoopUtilization(this.#utilization, before);
    return { loopDelayMs: this.take(active, this.#turns - turnsBefore), loopUtilization: utilization };
  }

  /** The longest stop, given how long the loop was busy since the last call, and in how many turns. */
  take(busyMs: number, turns: number): number {
    if (!this.#isOn) {
      if (busyMs < stepMs) return 0;
      this.#monitor.enable();
      this.#isOn = true;
      this.#calm = 0;
      // The monitor was off. Of a process that was idle until now, the busy time is mostly the stop itself.
      return turns <= fewTurns ? busyMs : busyMs / turns;
    }
    const longestMs = Math.max(0, this.#monitor.max / 1e6 - stepMs);
    this.#monitor.reset();
    this.#calm = busyMs < calmMs ? this.#calm + 1 : 0;
    if (this.#calm >= calmReadings) this.stop();
    return longestMs;
  }

  stop(): void {
    this.#monitor.disable();
    this.#isOn = false;
  }
}

function turnsOfLoop(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount;
}
