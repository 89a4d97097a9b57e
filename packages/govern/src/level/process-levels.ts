import type { LevelRules, Policy } from '../policy/policy.ts';
import { formatLine } from '../policy/place.ts';
import type { LevelSource } from './level-change.ts';
import { LevelMachine } from './level-machine.ts';
import { TimeToLimit } from './time-to-limit.ts';

/** The part of a reading that governing needs. */
export interface GovernedReading {
  /** Wall time, ms since the epoch. */
  readonly at: number;
  readonly heapUsed: number;
  /** External memory; what an action freed is judged with it. */
  readonly external?: number;
  readonly floor?: number;
  readonly floorAgeMs?: number;
  /** Ordinal of the last major GC. */
  readonly majors: number;
  readonly rss: number;
  /** Every limit with what counts against it. */
  readonly pressures: readonly {
    readonly source: 'heap' | 'cgroup' | 'native' | 'policy';
    readonly used: number;
    readonly limit: number;
  }[];
  /** Ms by which the reading came late. */
  readonly lateMs: number;
}

/** One limit of the process with its own level, so that each recovers on its own. */
interface SourceLevel {
  readonly source: LevelSource;
  readonly machine: LevelMachine;
  usedBytes: number;
  limitBytes: number;
  seen: boolean;
}

/** Without a major GC for this long, raw use counts if it is at the emergency line. */
const floorMissingMs = 60_000;

/** The level of the process: the highest of its sources. */
export class ProcessLevels {
  readonly #sources = new Map<LevelSource, SourceLevel>();
  readonly #heapForecast = new TimeToLimit();
  #rules: LevelRules;
  readonly #graceUntilMs: number;
  readonly #startMs: number;
  #majors = -1;
  #timeToLimitMs = Number.POSITIVE_INFINITY;

  constructor(rules: LevelRules, startMs: number, graceMs: number) {
    this.#rules = rules;
    this.#startMs = startMs;
    this.#graceUntilMs = startMs + graceMs;
  }

  setRules(rules: LevelRules): void {
    this.#rules = rules;
    for (const { machine } of this.#sources.values()) machine.setRules(rules);
  }

  /** Forecast of the heap, in ms; infinite when it does not grow. */
  get timeToLimitMs(): number {
    return this.#timeToLimitMs;
  }

  tick(nowMs: number, intervalMs: number, reading: GovernedReading, policy: Policy): void {
    for (const source of this.#sources.values()) source.seen = false;
    for (const { source, used, limit } of reading.pressures) {
      const limitBytes = effectiveLimit(source, limit, policy);
      if (source === 'heap') this.#tickHeap(nowMs, intervalMs, reading, used, limitBytes);
      else this.#tickSource(source, nowMs, intervalMs, used, limitBytes);
    }
    const rssMax = policy.limits.rssMaxBytes;
    if (rssMax !== undefined) this.#tickSource('rss', nowMs, intervalMs, reading.rss, rssMax);
    // A limit that is gone (a policy without it) takes its level along.
    for (const [name, source] of this.#sources) if (!source.seen) this.#sources.delete(name);
  }

  /** The source with the highest level, of equals the one nearest to its limit. */
  highest(): SourceLevel | undefined {
    let best: SourceLevel | undefined;
    let bestRatio = -1;
    for (const source of this.#sources.values()) {
      const ratio = source.usedBytes / source.limitBytes;
      const higher = best === undefined ? 1 : source.machine.index - best.machine.index;
      if (higher > 0 || (higher === 0 && ratio > bestRatio)) {
        best = source;
        bestRatio = ratio;
      }
    }
    return best;
  }

  #tickHeap(
    nowMs: number,
    intervalMs: number,
    reading: GovernedReading,
    used: number,
    limitBytes: number,
  ): void {
    if (reading.floor !== undefined && reading.majors !== this.#majors) {
      this.#majors = reading.majors;
      this.#heapForecast.add(nowMs - (reading.floorAgeMs ?? 0), reading.floor);
    }
    this.#timeToLimitMs = this.#heapForecast.forecast(nowMs, limitBytes);
    const floorAgeMs = reading.floorAgeMs ?? nowMs - this.#startMs;
    const isRawCounted =
      floorAgeMs >= floorMissingMs && reading.heapUsed / limitBytes >= this.#rules.emergency.enterRatio;
    // Raw use swings with the garbage collector: without a floor it says nothing below the emergency line.
    const live = isRawCounted ? reading.heapUsed : reading.floor === undefined ? 0 : used;
    this.#tickSource('heap', nowMs, intervalMs, live, limitBytes, this.#timeToLimitMs);
  }

  #tickSource(
    name: LevelSource,
    nowMs: number,
    intervalMs: number,
    usedBytes: number,
    limitBytes: number,
    timeToLimitMs?: number,
  ): void {
    let source = this.#sources.get(name);
    if (source === undefined) {
      const machine = new LevelMachine(this.#rules, this.#graceUntilMs);
      source = { source: name, machine, usedBytes, limitBytes, seen: true };
      this.#sources.set(name, source);
    }
    source.usedBytes = usedBytes;
    source.limitBytes = limitBytes;
    source.seen = true;
    source.machine.tick(nowMs, usedBytes / limitBytes, intervalMs, timeToLimitMs);
  }
}

/** A limit under the global budget: a percentage scales it, and the reserve is kept free. The policy's own limit has both in it already. */
function effectiveLimit(source: LevelSource, limit: number, policy: Policy): number {
  const { max, reserveBytes } = policy.global;
  if (source === 'policy' || source === 'native') return Math.max(1, limit);
  return Math.max(1, ('ratio' in max ? max.ratio * limit : limit) - reserveBytes);
}

/** The rule behind a limit of the process. */
export function ruleOfSource(source: LevelSource, policy: Policy): string {
  if (source === 'policy') return `budgets.global (${formatLine(policy.global.place)})`;
  return source === 'cgroup' ? 'the control group' : `limits.${source} (${policy.file})`;
}
