import type { RaisedLevel } from '@plimsoll/core/internal/level';
import { raisedLevels } from '@plimsoll/core/internal/level';
import { formatDuration } from '@plimsoll/core/units';
import type { OptionsOf } from './actions.ts';
import { actions } from './actions.ts';
import type { DocumentReader } from './form/document-reader.ts';
import type { Policy, PolicyNote, Rung } from './policy.ts';
import { formatPercent } from './form/quantity.ts';

const defaultRestartAfterMs = 120_000;
const defaultTimeoutMs = 10_000;
const defaultThrottle = { min: 0.8, max: 0.95 };

interface LeveledRung extends Rung {
  readonly level: RaisedLevel;
}

/** A policy without its notes, which are computed from it. */
type Noted = Omit<Policy, 'notes'>;

/** Notes on pairs of values that are each allowed and do not work together. */
export function pairNotes(policy: Noted, reader: DocumentReader): PolicyNote[] {
  const rungs = raisedLevels.flatMap((level) => policy.ladder[level].map((rung) => ({ ...rung, level })));
  return [
    ...restartNotes(policy, rungs),
    ...throttleNotes(policy, rungs),
    ...approvalNotes(policy, rungs),
    ...stopNotes(policy, rungs),
    ...clampNotes(policy, rungs),
    ...timeNotes(policy, reader),
  ];
}

function restartNotes(policy: Noted, rungs: readonly LeveledRung[]): PolicyNote[] {
  const restart = rungs.find(({ action }) => action === 'process.restart');
  if (restart === undefined) return [];
  const { place } = restart;
  const { after = defaultRestartAfterMs } = restart.options as OptionsOf<'process.restart'>;
  const { againMs, atMostMs } = policy.settle;
  const notes: PolicyNote[] = [];
  const note = (text: string): void => void notes.push({ text, place });
  if (after < againMs)
    note(
      `process.restart comes after ${formatDuration(after)}, but the ladder begins again only after ${formatDuration(againMs)} (settle.again): no rung gets a second turn before the restart.`,
    );
  const freeing = rungs.filter(({ action }) => actions[action as keyof typeof actions]?.nature === 'frees');
  const roundMs = (freeing.length * atMostMs) / 3;
  if (after < roundMs)
    note(
      `process.restart comes after ${formatDuration(after)}, but one round of ${freeing.length} rungs that free memory may take ${formatDuration(roundMs)} at emergency (a third of settle.at-most each): some get no turn before the restart.`,
    );
  const slow = rungs.find(({ timeoutMs = defaultTimeoutMs }) => timeoutMs > after);
  if (slow !== undefined)
    note(
      `process.restart comes after ${formatDuration(after)}, but ${slow.action} may run for ${formatDuration(slow.timeoutMs ?? defaultTimeoutMs)}: the restart does not wait for it.`,
    );
  const modeOf = ({ mode = policy.mode }: Rung): string => mode;
  const refuse = rungs.find(({ action }) => action === 'admit.refuse');
  if (refuse !== undefined && modeOf(refuse) === 'enforce' && modeOf(restart) !== 'enforce')
    note(
      `admit.refuse is enforced and process.restart is in mode ${modeOf(restart)}: when nothing frees memory, work is refused until a human ends the process.`,
    );
  return notes;
}

function throttleNotes({ levels }: Noted, rungs: readonly LeveledRung[]): PolicyNote[] {
  return rungs.flatMap(({ action, options, level, place }) => {
    if (action !== 'admit.throttle') return [];
    const { min, max } = (options as OptionsOf<'admit.throttle'>).scaled ?? defaultThrottle;
    const { exitRatio } = levels[level];
    const { enterRatio } = levels.emergency;
    if (max <= exitRatio)
      return [
        {
          text: `admit.throttle refuses everything from ${formatPercent(max)} on, but ${level} ends only below ${formatPercent(exitRatio)}: it refuses everything as soon as it runs.`,
          place,
        },
      ];
    const isIdle = level !== 'emergency' && min >= enterRatio;
    return isIdle
      ? [
          {
            text: `admit.throttle refuses nothing below ${formatPercent(min)}, but emergency begins at ${formatPercent(enterRatio)}: it does nothing at level ${level}.`,
            place,
          },
        ]
      : [];
  });
}

function approvalNotes({ approvals }: Noted, rungs: readonly LeveledRung[]): PolicyNote[] {
  const restart = rungs.find(({ action }) => action === 'process.restart');
  const { after = defaultRestartAfterMs } = (restart?.options ?? {}) as OptionsOf<'process.restart'>;
  return rungs.flatMap(({ action, approval, level, place }) => {
    const rule = approval === undefined ? undefined : approvals.rules[approval];
    const isLate =
      restart !== undefined &&
      restart.approval === undefined &&
      level === 'emergency' &&
      action !== 'process.restart' &&
      rule !== undefined &&
      rule.breakGlass === 'never' &&
      rule.ttlMs > after;
    return isLate
      ? [
          {
            text: `${action} may wait ${formatDuration(rule.ttlMs)} for the approval "${rule.name}", but process.restart comes after ${formatDuration(after)}: the ticket may be answered too late.`,
            place,
          },
        ]
      : [];
  });
}

function stopNotes({ guards }: Noted, rungs: readonly LeveledRung[]): PolicyNote[] {
  const { count } = guards.destructive.rate;
  return rungs.flatMap(({ action, options, place }) => {
    const { max = 1 } = action === 'scope.stop' ? (options as OptionsOf<'scope.stop'>) : {};
    return max > count
      ? [
          {
            text: `scope.stop may stop ${max} scopes in one run, but guards.destructive.rate allows ${count}: the rest is held back.`,
            place,
          },
        ]
      : [];
  });
}

function clampNotes({ admission }: Noted, rungs: readonly LeveledRung[]): PolicyNote[] {
  const steady = admission.delegations;
  if (steady === undefined) return [];
  return rungs.flatMap(({ action, options, place }) => {
    const { concurrency } = action === 'delegation.clamp' ? (options as OptionsOf<'delegation.clamp'>) : {};
    return concurrency !== undefined && concurrency >= steady
      ? [
          {
            text: `delegation.clamp lowers concurrency to ${concurrency}, but admission.delegations allows ${steady} at any level: it changes nothing.`,
            place,
          },
        ]
      : [];
  });
}

function timeNotes(policy: Noted, reader: DocumentReader): PolicyNote[] {
  const { rollback, signal, settle, levels, admission } = policy;
  const notes: PolicyNote[] = [];
  const note = (path: readonly string[], text: string): void =>
    void notes.push({ text, place: reader.placeOf(path) });
  if (rollback.to !== 'never') {
    const { goodAfterMs, blockedForMs, loopForMs } = rollback;
    for (const [key, forMs] of [
      ['blocked', blockedForMs],
      ['unresponsive', loopForMs],
    ] as const)
      if (forMs > goodAfterMs)
        note(
          ['rollback', key],
          `rollback.${key} judges after ${formatDuration(forMs)}, but a policy counts as good after ${formatDuration(goodAfterMs)} (rollback.good-after): a bad one can be kept as good first.`,
        );
  }
  if (settle.atMostMs / 3 < signal.fastMs)
    note(
      ['settle', 'at-most'],
      `at emergency the effect of a rung is awaited for ${formatDuration(settle.atMostMs / 3)} (a third of settle.at-most), but readings come every ${formatDuration(signal.fastMs)} (signal.fast): no effect can be seen.`,
    );
  for (const level of raisedLevels) {
    const { forMs } = levels[level];
    if (forMs < signal.sampleMs && forMs > 0)
      note(
        ['levels', level, 'for'],
        `${level} begins after ${formatDuration(forMs)}, but readings come every ${formatDuration(signal.sampleMs)} (signal.sample): one reading decides.`,
      );
  }
  const free = admission.freeMemory;
  const freeRatio = free !== undefined && 'ratio' in free ? free.ratio : undefined;
  if (freeRatio !== undefined && 1 - freeRatio <= levels.warning.exitRatio)
    note(
      ['admission', 'free-memory'],
      `admission.free-memory refuses new work from ${formatPercent(1 - freeRatio)} used on, but level warning begins at ${formatPercent(levels.warning.enterRatio)}: work is refused at level normal and no rung of the ladder runs.`,
    );
  return notes;
}
