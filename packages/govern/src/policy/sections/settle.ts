import { duration, percent, word } from '../form/quantity.ts';
import type { ValueOf } from '../form/shape.ts';
import { optional, table } from '../form/shape.ts';

const second = 1000;
const hour = 3_600_000;

/** When the effect of an action counts as measured, and when it is enough. */
export interface SettleRules {
  readonly wait: 'next-major-gc' | 'time';
  readonly atMostMs: number;
  /** Share of the bytes in use that an action has to free. If it frees less, the next rung runs. */
  readonly minFreedRatio: number;
  /** Pause after the last rung before the ladder begins again while the level lasts. */
  readonly againMs: number;
}

export const settleDefaults: SettleRules = {
  wait: 'next-major-gc',
  atMostMs: 15 * second,
  minFreedRatio: 0.05,
  againMs: 30 * second,
};

/** The section `settle` of a policy. */
export const settleSection = table('the settling', {
  wait: optional(
    word('what to wait for', ['next-major-gc', 'time'] as const),
    'next-major-gc: until a major GC has shown the effect, at most the time of "at-most". time: always that time. Default next-major-gc.',
  ),
  'at-most': optional(
    duration('15s', second, 10 * 60 * second),
    'Longest wait for the effect of one action; a third of it at emergency. Default 15s.',
  ),
  'min-freed': optional(
    percent('5%'),
    'Share of the bytes in use that is enough. If an action frees less, the next rung runs. Default 5%.',
  ),
  again: optional(
    duration('30s', second, hour),
    'Rest after the last rung before the ladder begins again while the level stands. Default 30s.',
  ),
});

export function settleRulesOf(given: ValueOf<typeof settleSection> | undefined): SettleRules {
  const base = settleDefaults;
  return {
    wait: given?.wait ?? base.wait,
    atMostMs: given?.['at-most'] ?? base.atMostMs,
    minFreedRatio: given?.['min-freed'] ?? base.minFreedRatio,
    againMs: given?.again ?? base.againMs,
  };
}
