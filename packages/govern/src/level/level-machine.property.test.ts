import { describe, expect, test } from 'vitest';
import { levelPresets } from '../policy/built-in.ts';
import type { LevelRule, LevelRules } from '../policy/policy.ts';
import { LevelMachine } from './level-machine.ts';
import { seeded } from './trace.fixture.ts';

interface Sample {
  readonly ratio: number;
  /** Interval as counted: a late tick or a clock that went back is one sample. */
  readonly stepMs: number;
}

const traces = 20_000;
const intervalMs = 1000;

const listOf = (rules: LevelRules): LevelRule[] => [rules.warning, rules.critical, rules.emergency];

/** Lines in rising order with gaps, and short times so that a short trace goes through many changes. */
function randomRules(random: () => number): LevelRules {
  const level = (exitRatio: number): LevelRule => ({
    exitRatio,
    enterRatio: exitRatio + 0.01 + 0.08 * random(),
    forMs: Math.floor(5 * random()) * 1000,
    keepMs: Math.floor(6 * random()) * 1000,
  });
  return random() < 0.2
    ? levelPresets.relaxed
    : {
        warning: level(0.3 + 0.1 * random()),
        critical: level(0.5 + 0.1 * random()),
        emergency: level(0.7 + 0.1 * random()),
      };
}

/** Stretches of calm, noise, ramps and jumps. */
function randomRatios(random: () => number): number[] {
  const ratios: number[] = [];
  let at = random();
  while (ratios.length < 60) {
    const length = 1 + Math.floor(20 * random());
    const slope = random() < 0.5 ? 0 : (random() - 0.5) * 0.1;
    const noise = random() < 0.5 ? 0 : 0.1 * random();
    for (let i = 0; i < length; i++) {
      at = Math.min(1.5, Math.max(0, at + slope));
      ratios.push(at + noise * (random() - 0.5));
    }
    if (random() < 0.5) at = 1.2 * random();
  }
  return ratios;
}

/** Time without interruption, up to now, in which every sample satisfies the test; undefined when the last one does not. */
function lasting(history: readonly Sample[], holds: (ratio: number) => boolean): number | undefined {
  let ms: number | undefined;
  for (let i = history.length - 1; i >= 0; i--) {
    const sample = history[i] as Sample;
    if (!holds(sample.ratio)) break;
    // The interval before a sample counts only if the sample before it holds too.
    const before = history[i - 1];
    ms = (ms ?? 0) + (before !== undefined && holds(before.ratio) ? sample.stepMs : 0);
  }
  return ms;
}

describe('any trace', () => {
  test('rises only after "for", falls only after "keep", and stops at the level whose exit line holds', () => {
    const faults: string[] = [];
    let changes = 0;
    for (let seed = 0; seed < traces; seed++) {
      const random = seeded(seed);
      const rules = randomRules(random);
      const lines = listOf(rules);
      const machine = new LevelMachine(rules);
      const history: Sample[] = [];
      let nowMs = 0;
      for (const ratio of randomRatios(random)) {
        const passedMs =
          random() < 0.05 ? 60_000 * random() : random() < 0.02 ? -5000 : 250 + 1250 * random();
        nowMs += passedMs;
        const step = Math.max(0, passedMs);
        history.push({ ratio, stepMs: history.length === 0 ? 0 : step > 5000 ? intervalMs : step });
        const from = machine.index;
        machine.tick(nowMs, ratio, intervalMs);
        const to = machine.index;
        if (to === from) continue;
        changes++;
        const why = `seed ${seed}, sample ${history.length}, ${from} -> ${to} at ${ratio}`;
        if (to > from) {
          const line = lines[to - 1] as LevelRule;
          // Dips are forgiven, but never below the exit line, and the sample that raises is above the enter line.
          const since = lasting(history, (value) => value >= line.exitRatio) ?? -1;
          if (ratio < line.enterRatio || since < line.forMs) faults.push(`rose too early: ${why}`);
        } else {
          for (let left = from; left > to; left--) {
            const line = lines[left - 1] as LevelRule;
            const below = lasting(history, (value) => value < line.exitRatio) ?? -1;
            if (below < line.keepMs) faults.push(`fell too early: ${why}`);
          }
          const line = lines[to - 1];
          const below = line && (lasting(history, (value) => value < line.exitRatio) ?? -1);
          if (line && below !== undefined && below >= line.keepMs) faults.push(`stopped too high: ${why}`);
        }
      }
    }
    expect(faults.slice(0, 5)).toEqual([]);
    expect(changes).toBeGreaterThan(20_000);
  });

  test('a steady ratio ends at the level of its lines, whatever came before', () => {
    const faults: string[] = [];
    for (let seed = 0; seed < 2000; seed++) {
      const random = seeded(seed);
      const rules = randomRules(random);
      const lines = listOf(rules);
      const machine = new LevelMachine(rules);
      let nowMs = 0;
      for (const ratio of randomRatios(random)) machine.tick((nowMs += intervalMs), ratio, intervalMs);
      const steady = 1.2 * random();
      for (let i = 0; i < 130; i++) machine.tick((nowMs += intervalMs), steady, intervalMs);
      lines.forEach((line, i) => {
        const isBelowTop = machine.index <= i;
        if (steady >= line.enterRatio && isBelowTop)
          faults.push(`seed ${seed}: ${steady} left below level ${i + 1}`);
        if (steady < line.exitRatio && !isBelowTop)
          faults.push(`seed ${seed}: ${steady} left at level ${i + 1}`);
      });
    }
    expect(faults.slice(0, 5)).toEqual([]);
  });

  test('the same ticks give the same levels', () => {
    for (let seed = 0; seed < 500; seed++) {
      const ratios = randomRatios(seeded(seed));
      const run = (): string[] => {
        const machine = new LevelMachine(levelPresets.strict);
        return ratios.map((ratio, i) => machine.tick(i * 1000, ratio, 1000));
      };
      expect(run()).toEqual(run());
    }
  });

  test('within the grace only an emergency rises', () => {
    const faults: string[] = [];
    for (let seed = 0; seed < 2000; seed++) {
      const random = seeded(seed);
      const machine = new LevelMachine(randomRules(random), 60_000);
      let before = 0;
      randomRatios(random).forEach((ratio, i) => {
        machine.tick(i * 500, ratio, 500);
        if (i * 500 < 60_000 && machine.index > before && machine.index !== 3) faults.push(`seed ${seed}`);
        before = machine.index;
      });
    }
    expect(faults.slice(0, 5)).toEqual([]);
  });
});
