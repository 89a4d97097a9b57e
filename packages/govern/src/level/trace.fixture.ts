import { levelPresets } from '../policy/built-in.ts';
import type { Level } from '@plimsoll/core/internal/level';
import { LevelMachine } from './level-machine.ts';

/** A seeded source of numbers in [0, 1) (mulberry32): the same seed gives the same trace on every machine. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Transitions and their times when a trace of ratios, one per second, runs through a machine. */
export function play(
  trace: Iterable<number>,
  stepMs = 1000,
): { transitions: { atMs: number; from: Level; to: Level }[]; machine: LevelMachine } {
  const machine = new LevelMachine(levelPresets.strict);
  const transitions: { atMs: number; from: Level; to: Level }[] = [];
  let atMs = 0;
  for (const ratio of trace) {
    const from = machine.level;
    const to = machine.tick(atMs, ratio, stepMs);
    if (from !== to) transitions.push({ atMs, from, to });
    atMs += stepMs;
  }
  return { transitions, machine };
}

/** Transitions of thresholds without gap and time, which is the rule that users write first. */
export function instantTransitions(trace: Iterable<number>): number {
  const levelOf = (ratio: number): number => (ratio >= 0.95 ? 3 : ratio >= 0.8 ? 2 : ratio >= 0.6 ? 1 : 0);
  let before = 0;
  let count = 0;
  for (const ratio of trace) {
    const now = levelOf(ratio);
    if (now !== before) count++;
    before = now;
  }
  return count;
}

export const hour = 3600;

/** Raw heap use of a healthy process: a live set of 54 %, garbage up to 70 %, a major GC every 25 s. */
export function sawTooth(random: () => number, seconds = hour): number[] {
  return Array.from({ length: seconds }, (_, i) => 0.54 + 0.16 * ((i % 25) / 25) + 0.002 * random());
}

/** A ratio that sits on a line: half of the samples above it, half below. */
export function noiseAt(centre: number, width: number, random: () => number, seconds = hour): number[] {
  return Array.from({ length: seconds }, () => centre + width * (2 * random() - 1));
}

/** A leak: from 40 % up by a share per second, with the noise of a real process. */
export function leak(perSecond: number, noise: number, random: () => number): number[] {
  const trace: number[] = [];
  for (let ratio = 0.4; ratio < 1; ratio += perSecond) trace.push(ratio + noise * (2 * random() - 1));
  return trace;
}
