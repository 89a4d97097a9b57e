import type { LevelRule, LevelRules } from '../policy/policy.ts';
import type { Level } from '@plimsoll/core/internal/level';
import { levels } from '@plimsoll/core/internal/level';

/** Window of samples for judging whether a dip is noise, and the most dips in it. */
const windowBits = 0b11_1111_1111;
const maxDips = 2;
/** Cost of a dip in samples of earned time. Noise that is half above and half below the line never earns enough. */
const dipCost = 4;
/** A line that is crossed back and forth within this time is noise at the line. */
const chatterMs = 60_000;
/** At such a line a rise needs this many samples in a row. 20 tosses of a coin agree once in a million. */
const chatterSamples = 20;
/** A tick that is later than this many intervals counts as one sample. */
const lateFactor = 5;

const forecastOnMs = 60_000;
const forecastOffMs = 90_000;
const forecastKeepMs = 60_000;
/** Above the critical line and with less time than this to the limit, the level rises at once. Two samples have to agree. */
const endingMs = 15_000;
const endingSamples = 2;

/** State of one level's lines against the signal. */
interface Line {
  /** Samples of the present run at or above `enter`; 0 when there is none. */
  samples: number;
  /** Time the run has earned towards `for`. */
  earnedMs: number;
  /** The last ten samples of the run, 1 = dip. */
  dips: number;
  /** Time below `exit` without interruption; negative when not below. */
  belowMs: number;
  brokenAtMs: number;
  chatterUntilMs: number;
}

const newLine = (): Line => ({
  samples: 0,
  earnedMs: 0,
  dips: 0,
  belowMs: -1,
  brokenAtMs: Number.NEGATIVE_INFINITY,
  chatterUntilMs: Number.NEGATIVE_INFINITY,
});

/**
 * The level of one used/limit ratio over time. It has no clock, so the same ticks give the same levels.
 *
 * - A level rises when the ratio stays at or above `enter` for `for`; rises may skip levels.
 * - A dip that stays above `exit` is noise as long as at most 2 of the last 10 samples are dips; it costs four samples of the time earned.
 * - A line that is crossed back and forth within a minute needs 20 samples in a row. An emergency does not wait for that.
 * - A level falls when the ratio stays below `exit` for `keep`, and stops at the highest level whose `exit` it does not stay below.
 * - A tick more than five intervals late counts as one sample, so a blocked loop or a clock that jumps neither raises nor lowers a level.
 * - Live memory that is known to be above its limit is an emergency at once. So is a limit that will be reached within 15 s from above the
 *   critical line, by two samples. Both hold also during the grace time.
 * - A forecast of less than a minute to the limit raises the level by one, until the forecast was better than 90 s for a minute.
 */
export class LevelMachine {
  #rules: readonly LevelRule[];
  readonly #graceUntilMs: number;
  readonly #lines: readonly Line[] = [newLine(), newLine(), newLine()];
  #base = 0;
  #lifted = false;
  #calmMs = 0;
  /** Samples in a row with the end near. */
  #endings = 0;
  /** NaN before the first tick, because V8 writes a field in place that is always a double. */
  #lastMs = Number.NaN;
  /** Counted time: the sum of all intervals under the rule for late ticks. */
  #countedMs = 0;

  /** Before `graceUntilMs` (on the clock of `tick`) only an emergency rises. */
  constructor(rules: LevelRules, graceUntilMs = Number.NEGATIVE_INFINITY) {
    this.#rules = listOf(rules);
    this.#graceUntilMs = graceUntilMs;
  }

  get level(): Level {
    return levels[this.index] as Level;
  }

  /** The level as a number, 0 for normal to 3 for emergency. */
  get index(): number {
    return Math.min(3, this.#base + (this.#lifted ? 1 : 0));
  }

  /** True while a forecast lifts the level. */
  get lifted(): boolean {
    return this.#lifted;
  }

  /** Takes other lines from now on; the level and the time earned so far stay. */
  setRules(rules: LevelRules): void {
    this.#rules = listOf(rules);
  }

  /**
   * Takes one sample. `nowMs` is monotonic; `intervalMs` is the due time after the previous sample. A ratio of NaN (from a failed sensor)
   * changes nothing. `isOver` means that live memory is known to be above the limit.
   */
  tick(
    nowMs: number,
    ratio: number,
    intervalMs: number,
    timeToLimitMs = Number.POSITIVE_INFINITY,
    isOver = false,
  ): Level {
    const passedMs = Number.isNaN(this.#lastMs) ? 0 : Math.max(0, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    if (Number.isNaN(ratio)) return this.level;
    const stepMs = passedMs > lateFactor * intervalMs ? intervalMs : passedMs;
    this.#countedMs += stepMs;
    for (let i = 0; i < 3; i++) this.#updateLine(i, ratio, stepMs);
    const inGrace = nowMs < this.#graceUntilMs;
    const isEnding = timeToLimitMs < endingMs && ratio >= (this.#rules[1] as LevelRule).enterRatio;
    this.#endings = isEnding ? this.#endings + 1 : 0;
    if (isOver || this.#endings >= endingSamples) this.#base = 3;
    else if (!this.#rise(ratio, inGrace)) this.#fall();
    this.#forecast(inGrace ? Number.POSITIVE_INFINITY : timeToLimitMs, stepMs);
    return this.level;
  }

  #updateLine(i: number, ratio: number, stepMs: number): void {
    const line = this.#lines[i] as Line;
    const rule = this.#rules[i] as LevelRule;
    if (ratio < rule.exitRatio) line.belowMs = line.belowMs < 0 ? 0 : line.belowMs + stepMs;
    else line.belowMs = -1;
    if (ratio >= rule.enterRatio) {
      line.earnedMs = line.samples === 0 ? 0 : line.earnedMs + stepMs;
      line.dips = (line.dips << 1) & windowBits;
      line.samples++;
      return;
    }
    if (line.samples === 0) return;
    const dips = ((line.dips << 1) | 1) & windowBits;
    const earnedMs = line.earnedMs - dipCost * stepMs;
    const isNoise = ratio >= rule.exitRatio && earnedMs >= 0 && bitCount(dips) <= maxDips;
    if (isNoise && !this.#chatters(line)) {
      line.dips = dips;
      line.earnedMs = earnedMs;
    } else this.#breakRun(line);
  }

  #chatters(line: Line): boolean {
    return this.#countedMs < line.chatterUntilMs;
  }

  #breakRun(line: Line): void {
    if (this.#countedMs - line.brokenAtMs < chatterMs) line.chatterUntilMs = this.#countedMs + chatterMs;
    line.brokenAtMs = this.#countedMs;
    line.samples = 0;
    line.earnedMs = 0;
    line.dips = 0;
  }

  #rise(ratio: number, inGrace: boolean): boolean {
    for (let i = 2; i >= this.#base; i--) {
      if (inGrace && i < 2) return false;
      const line = this.#lines[i] as Line;
      const rule = this.#rules[i] as LevelRule;
      const needed = i < 2 && this.#chatters(line) ? chatterSamples : rule.forMs === 0 ? 1 : 2;
      if (ratio < rule.enterRatio || line.samples < needed || line.earnedMs < rule.forMs) continue;
      this.#base = i + 1;
      return true;
    }
    return false;
  }

  #fall(): void {
    while (this.#base > 0) {
      const line = this.#lines[this.#base - 1] as Line;
      const rule = this.#rules[this.#base - 1] as LevelRule;
      if (line.belowMs < rule.keepMs || line.belowMs < 0) return;
      this.#base--;
    }
  }

  #forecast(timeToLimitMs: number, stepMs: number): void {
    if (timeToLimitMs < forecastOnMs) {
      this.#lifted = true;
      this.#calmMs = 0;
    } else if (this.#lifted) {
      this.#calmMs = timeToLimitMs < forecastOffMs ? 0 : this.#calmMs + stepMs;
      if (this.#calmMs >= forecastKeepMs) this.#lifted = false;
    }
  }
}

function listOf(rules: LevelRules): readonly LevelRule[] {
  return [rules.warning, rules.critical, rules.emergency];
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
