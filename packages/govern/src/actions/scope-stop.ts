import type { OptionsOf } from '../policy/actions.ts';
import { formatByteSize } from '@plimsoll/core/units';
import { formatPercent } from '../policy/form/quantity.ts';
import { formatDuration } from '@plimsoll/core/units';
import type { ActionContext, ActionEffect, ActionOf } from './action.ts';
import { skipped } from './action.ts';
import type { SpareReason, Victim, VictimChoice } from './victims.ts';
import { chooseVictims } from './victims.ts';

const defaultAtLeast = 0.02;

type Context = ActionContext<OptionsOf<'scope.stop'>>;

/** Closes the scopes that free the most for the least work lost. Closing aborts their signals. Code that ignores its signal goes on. */
export const scopeStop: ActionOf<'scope.stop'> = {
  plan(context) {
    const choice = choose(context);
    const victims = choice.victims.slice(0, context.options.max ?? 1);
    const projectedBytes = victims.reduce((sum, { bytes }) => sum + bytes, 0);
    return {
      text:
        victims.length === 0
          ? `would have found no scope to stop: ${nobody(context, choice)}.`
          : `would have stopped ${victims.map(describe).join('; ')}${beside(context)}.`,
      projectedBytes,
      victims: victims.map(({ scope }) => scope.path),
    };
  },
  run(context) {
    const { guard, nowMs } = context;
    const blocked = guard.blockedBy(nowMs);
    if (blocked !== undefined) return skipped(`stops no scope: ${blocked}.`);
    const choice = choose(context);
    const picked: Pick[] = [];
    let refused: string | undefined;
    for (const victim of choice.victims) {
      if (picked.length >= (context.options.max ?? 1)) break;
      const { kind, path } = victim.scope;
      const before = picked.filter((each) => each.victim.scope.kind === kind).length;
      refused = guard.refuses(nowMs, kind, victim.ofKind - before);
      if (refused === undefined) picked.push({ victim, gone: guard.take(nowMs, kind, path) });
    }
    if (picked.length === 0) return skipped(`stops no scope: ${refused ?? nobody(context, choice)}.`);
    return stop(context, picked);
  },
  cooldownMs: () => 0,
};

function choose({ levers, scope, usedBytes, limitBytes, policy, options, victims }: Context): VictimChoice {
  return chooseVictims(levers.scopes?.() ?? [], { path: scope, usedBytes }, policy, limitBytes, {
    pick: options.pick ?? 'least-waste',
    atLeastRatio: options['at-least'] ?? defaultAtLeast,
    kinds: options.kinds,
    only: victims,
  });
}

/** A victim that the guard has counted, and the callback for its end. */
interface Pick {
  readonly victim: Victim;
  readonly gone: () => void;
}

async function stop(context: Context, picked: readonly Pick[]): Promise<ActionEffect> {
  const closings = picked.map((each) => close(context, each));
  const victims = picked.map(({ victim }) => victim);
  const all = await raced(
    Promise.all(closings).then(() => true),
    context.signal,
  );
  return {
    text: `stopped ${victims.map(describe).join('; ')}${all ? '' : ' (not all of them gone in time)'}`,
    releasedBytes: victims.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

async function close({ level, scope: subject }: Context, { victim, gone }: Pick): Promise<void> {
  try {
    await victim.scope.close(`stopped: ${subject} is at level ${level}`);
  } catch {
    // A scope that cannot be closed is counted as gone or leaked like any other, because nothing else can be tried.
    return;
  }
  gone();
}

function raced(work: Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(false), { once: true });
    void work.then(resolve);
  });
}

/** `process/session:42 (71.4 MiB, 1.1x its budget, 2 m of work, sheddable)`. */
function describe({ scope, bytes, overRatio, workLostMs, priority }: Victim): string {
  const over = overRatio > 1 ? `, ${overRatio.toFixed(1)}x its budget` : '';
  return `${scope.path} (${formatByteSize(bytes)}${over}, ${formatDuration(workLostMs)} of work, ${priority})`;
}

function nobody(context: Context, { spared }: VictimChoice): string {
  const reasons = (Object.keys(spared) as SpareReason[])
    .filter((reason) => spared[reason] > 0)
    .map((reason) => `${spared[reason]} ${spareText[reason]}`);
  const atLeast = formatPercent(context.options['at-least'] ?? defaultAtLeast);
  const none = `no scope holds ${atLeast} of what is used`;
  return `${reasons.length === 0 ? none : `spared ${reasons.join(', ')}`}${beside(context)}`;
}

const spareText: Readonly<Record<SpareReason, string>> = {
  leased: 'in use',
  exempt: 'exempt',
  kind: 'of a kind that is not stopped',
  'like its class': 'no larger than twice their kind',
};

/** Text for the case that stops help little, because most of the heap is in no scope that may be stopped. */
function beside({ levers, usedBytes }: Context): string {
  const bytes = levers.unattributedBytes?.() ?? 0;
  return bytes > usedBytes / 2 ? `; ${formatByteSize(bytes)} are in no scope, so stops cannot free them` : '';
}
