import { formatDuration } from '@plimsoll/core/units';
import type { PlimsollError } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { duration, percent, size, word } from '../form/quantity.ts';
import type { ValueOf } from '../form/shape.ts';
import { optional, table } from '../form/shape.ts';

const second = 1000;
const minute = 60_000;
const hour = 3_600_000;
const mib = 1024 ** 2;

/** When the governor gives a policy up by itself, and what replaces it. */
export interface RollbackRules {
  /** `last-good` uses `shadow` when no policy was ever kept as good. */
  readonly to: 'last-good' | 'shadow' | 'never';
  /** Growth of the floor above the earlier growth, at usual load. */
  readonly growthBytes: number;
  /** Least share of garbage that major GCs free. */
  readonly gcEffectivenessRatio: number;
  /** Loop delay from which the process counts as unresponsive, and how long it has to last. */
  readonly loopDelayMs: number;
  readonly loopForMs: number;
  /** Share of operations blocked, and how long it has to last without pressure falling. */
  readonly blockedRatio: number;
  readonly blockedForMs: number;
  /** A policy that was enforced for this long without a trigger is kept as good. */
  readonly goodAfterMs: number;
  /** At most one rollback in this time. */
  readonly cooldownMs: number;
}

/** The rules of a policy without `rollback`. */
export const rollbackDefaults: RollbackRules = {
  to: 'last-good',
  growthBytes: 20 * mib,
  gcEffectivenessRatio: 0.7,
  loopDelayMs: second,
  loopForMs: 30 * second,
  blockedRatio: 0.5,
  blockedForMs: 5 * minute,
  goodAfterMs: 10 * minute,
  cooldownMs: hour,
};

/** The section `rollback` of a policy. */
export const rollbackSection = table('the rollback', {
  to: optional(
    word('the replacement', ['last-good', 'shadow', 'never'] as const),
    'last-good: the last policy that was enforced without a trigger, else shadow. shadow: only report. never: only "plimsoll rollback" by hand. Default last-good.',
  ),
  growth: optional(
    size('20MiB', mib),
    'Growth of the floor since enforcing began, above the earlier growth at the same load. Default 20MiB.',
  ),
  'gc-effectiveness': optional(
    percent('70%'),
    'Least effectiveness of major GCs: garbage / (garbage + growth of the floor). Default 70%.',
  ),
  unresponsive: optional(
    table('the unresponsive trigger', {
      delay: optional(duration('1s', 50, minute), 'Loop delay that counts as unresponsive. Default 1s.'),
      for: optional(duration('30s', second, hour), 'How long it has to last. Default 30s.'),
    }),
    'The event loop hardly turns, which it did before this policy was enforced.',
  ),
  blocked: optional(
    table('the blocked trigger', {
      share: optional(percent('50%'), 'Share of operations that were refused or held. Default 50%.'),
      for: optional(
        duration('5m', 10 * second, 24 * hour),
        'How long it has to last without pressure falling. Default 5m.',
      ),
    }),
    'Most work is blocked although memory is not short. Judged at levels normal and warning, and where only a limit of the policy itself is reached.',
  ),
  'good-after': optional(
    duration('10m', second, 30 * 24 * hour),
    'A policy enforced for so long without a trigger is kept as good. Default 10m.',
  ),
  cooldown: optional(
    duration('1h', minute, 30 * 24 * hour),
    'At most one rollback in this time. Not shorter than "blocked.for". Default 1h.',
  ),
});

/** The rules of a document, every default filled in. */
export function rollbackRulesOf(given: ValueOf<typeof rollbackSection> | undefined): RollbackRules {
  const base = rollbackDefaults;
  return {
    to: given?.to ?? base.to,
    growthBytes: given?.growth ?? base.growthBytes,
    gcEffectivenessRatio: given?.['gc-effectiveness'] ?? base.gcEffectivenessRatio,
    loopDelayMs: given?.unresponsive?.delay ?? base.loopDelayMs,
    loopForMs: given?.unresponsive?.for ?? base.loopForMs,
    blockedRatio: given?.blocked?.share ?? base.blockedRatio,
    blockedForMs: given?.blocked?.for ?? base.blockedForMs,
    goodAfterMs: given?.['good-after'] ?? base.goodAfterMs,
    cooldownMs: given?.cooldown ?? base.cooldownMs,
  };
}

/** Refuses a cooldown so short that a second rollback could come before the effect of the first one is visible. */
export function rollbackProblems(
  given: ValueOf<typeof rollbackSection> | undefined,
  at: (...path: readonly (string | number)[]) => { place: string; path: string },
): PlimsollError[] {
  const { cooldownMs, blockedForMs } = rollbackRulesOf(given);
  if (cooldownMs >= blockedForMs) return [];
  return [
    failure('PLM_POLICY_ORDER', {
      ...at('rollback', given?.cooldown === undefined ? 'blocked' : 'cooldown'),
      message: `"cooldown" is ${formatDuration(cooldownMs)} and "blocked.for" is ${formatDuration(blockedForMs)}; a second rollback could come before the first one is judged.`,
      fix: `raise "cooldown" to ${formatDuration(blockedForMs)} or more.`,
    }),
  ];
}
