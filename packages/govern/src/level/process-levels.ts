import type { Forecast } from '@plimsoll/leak/internal/judge/forecast';
import type { LevelRules, Policy } from '../policy/policy.ts';
import { formatLine } from '../policy/form/place.ts';
import type { LevelSource } from './level-change.ts';
import { LevelMachine } from './level-machine.ts';

/** The part of a reading that governing needs. */
export interface GovernedReading {
  /** Wall time, ms since the epoch. */
  readonly at: number;
  readonly heapUsed: number;
  /** External memory, for measuring what an action freed. */
  readonly external?: number;
  readonly floor?: number;
  readonly floorAgeMs?: number;
  /** Ordinal of the last major GC. */
  readonly majors: number;
  readonly rss: number;
  /** Every limit with its used bytes. */
  readonly pressures: readonly {
    readonly source: 'heap' | 'cgroup' | 'native' | 'policy';
    readonly used: number;
    readonly limit: number;
    /** The collector or the kernel is thrashing against this limit. */
    readonly strained?: true;
    /** Bytes that a growing table will allocate in one piece. */
    readonly requestBytes?: number;
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

type GovernedPressure = GovernedReading['pressures'][number];

/** An older floor is not reliable, so raw use counts when it is at the emergency line. */
const floorMissingMs = 60_000;
const nearMs = 30_000;

/** The level of the process: the highest of its sources. */
export class ProcessLevels {
  readonly #sources = new Map<LevelSource, SourceLevel>();
  #rules: LevelRules;
  readonly #graceUntilMs: number;
  readonly #startMs: number;
  #wantsLook = false;
  #forecast: Forecast | null = null;

  constructor(rules: LevelRules, startMs: number, graceMs: number) {
    this.#rules = rules;
    this.#startMs = startMs;
    this.#graceUntilMs = startMs + graceMs;
  }

  setRules(rules: LevelRules): void {
    this.#rules = rules;
    for (const { machine } of this.#sources.values()) machine.setRules(rules);
  }

  /** Ms until the limit by the forecast of the leak detection; infinite when nothing grows. */
  get timeToLimitMs(): number {
    return this.#forecast?.ms ?? Number.POSITIVE_INFINITY;
  }

  /** True when the used bytes of the last reading were near a line, so that a collection should measure how much of them is alive. */
  get wantsLook(): boolean {
    return this.#wantsLook;
  }

  /** True above the critical line, and with half a minute or less to a limit. The level may rise within seconds. */
  get isNear(): boolean {
    if (this.timeToLimitMs < nearMs) return true;
    for (const { usedBytes, limitBytes } of this.#sources.values())
      if (usedBytes >= this.#rules.critical.enterRatio * limitBytes) return true;
    return false;
  }

  /** True below every line, as of the last reading: no level is raised and none begins. */
  get isCalm(): boolean {
    for (const { machine, usedBytes, limitBytes } of this.#sources.values())
      if (machine.index > 0 || usedBytes >= this.#rules.warning.enterRatio * limitBytes) return false;
    return true;
  }

  tick(
    nowMs: number,
    intervalMs: number,
    reading: GovernedReading,
    policy: Policy,
    forecast: Forecast | null,
  ): void {
    this.#forecast = forecast;
    for (const source of this.#sources.values()) source.seen = false;
    for (const pressure of reading.pressures) {
      const { source, used, limit } = pressure;
      const limitBytes = effectiveLimit(source, limit, policy);
      if (source === 'heap') this.#tickHeap(nowMs, intervalMs, reading, pressure, limitBytes);
      else this.#tickSource(source, nowMs, intervalMs, used, limitBytes, { isStrained: pressure.strained });
    }
    const rssMax = policy.limits.rssMaxBytes;
    if (rssMax !== undefined) this.#tickSource('rss', nowMs, intervalMs, reading.rss, rssMax);
    // The level of a removed limit (in another policy) is removed with it.
    for (const [name, source] of this.#sources) if (!source.seen) this.#sources.delete(name);
  }

  /** The source with the highest level. Among equals, the one nearest to its limit. */
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
    { used, strained }: GovernedPressure,
    limitBytes: number,
  ): void {
    const { floor } = reading;
    const { warning, emergency } = this.#rules;
    const floorAgeMs = reading.floorAgeMs ?? nowMs - this.#startMs;
    const rawRatio = reading.heapUsed / limitBytes;
    const isRawCounted =
      floor === undefined || (floorAgeMs >= floorMissingMs && rawRatio >= emergency.enterRatio);
    this.#wantsLook = isRawCounted && rawRatio >= warning.enterRatio;
    const isProved = floor !== undefined && Math.min(floor, reading.heapUsed) >= limitBytes;
    this.#tickSource('heap', nowMs, intervalMs, isRawCounted ? reading.heapUsed : used, limitBytes, {
      // Under collector load V8 may give up from 0.80 of old space on, which is the critical line.
      isStrained: strained && used / limitBytes >= warning.enterRatio,
      isProved,
    });
  }

  #tickSource(
    name: LevelSource,
    nowMs: number,
    intervalMs: number,
    usedBytes: number,
    limitBytes: number,
    end: { readonly isStrained?: boolean | undefined; readonly isProved?: boolean } = {},
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
    const isForeseen = this.#forecast !== null && isAbout(this.#forecast.source, name);
    const foreseenMs = isForeseen ? this.timeToLimitMs : Number.POSITIVE_INFINITY;
    // A thrashing process has no time left, so the level rises as with a forecast of zero.
    const timeToLimitMs = end.isStrained === true ? 0 : foreseenMs;
    source.machine.tick(nowMs, usedBytes / limitBytes, intervalMs, timeToLimitMs, end.isProved);
  }
}

/** Whether a forecast applies to a limit. Heap growth and native growth have different limits. */
function isAbout(grows: Forecast['source'], limit: LevelSource): boolean {
  if (limit === 'heap' || limit === 'native') return grows === limit;
  return grows !== 'heap';
}

/** A limit after the global budget: a percentage scales it, and the reserve is subtracted. The policy's own limit already includes both. */
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
