import type { OptionsOf } from '../policy/actions.ts';
import { formatByteSize } from '@plimsoll/core/units';
import type { ActionContext, ActionEffect, ActionOf } from './action.ts';
import { isByHand, skipped } from './action.ts';
import type { LeverScope } from './levers.ts';
import { chooseVictims } from './victims.ts';

const defaultAtLeast = 0.02;
const evidenceMs = 5000;

type Context = ActionContext<OptionsOf<'scope.quarantine'>>;

/** Refuses new turns in a scope. Its memory and its running work stay, so that a person can look at it. */
export const scopeQuarantine: ActionOf<'scope.quarantine'> = {
  plan(context) {
    const found = choose(context);
    return {
      text:
        found.length === 0
          ? 'would have found no scope to quarantine.'
          : `would have quarantined ${found.map(describe).join('; ')}.`,
      projectedBytes: 0,
      victims: found.map(({ path }) => path),
    };
  },
  run(context) {
    const { admission } = context.levers;
    if (admission?.quarantine === undefined) return skipped('nothing in this process lets work in or not.');
    const found = choose(context);
    if (found.length === 0) return skipped('finds no scope to quarantine.');
    const { change, scope, level } = context;
    const reason = isByHand(change) ? change.rule : `${scope} is at level ${level}: ${change.rule}`;
    for (const { path } of found) admission.quarantine(path, reason);
    return withEvidence(context, found);
  },
};

function choose({
  levers,
  scope,
  usedBytes,
  limitBytes,
  policy,
  options,
  victims,
}: Context): readonly LeverScope[] {
  // A person may also name a scope that is in use.
  if (victims !== undefined)
    return [...(levers.scopes?.() ?? [])].filter(({ path }) => victims.includes(path));
  const choice = chooseVictims(levers.scopes?.() ?? [], { path: scope, usedBytes }, policy, limitBytes, {
    pick: options.pick ?? 'least-waste',
    atLeastRatio: options['at-least'] ?? defaultAtLeast,
    kinds: options.kinds,
  });
  const isIn = (path: string): boolean => levers.admission?.isQuarantined?.(path) === true;
  return choice.victims
    .map((victim) => victim.scope)
    .filter(({ path }) => !isIn(path))
    .slice(0, options.max ?? 1);
}

/** Keeps evidence of the first scope, so that its state can be analysed after it has gone. */
async function withEvidence(
  { levers, signal }: Context,
  found: readonly LeverScope[],
): Promise<ActionEffect> {
  const text = `quarantined ${found.map(describe).join('; ')}`;
  const first = found[0] as LeverScope;
  const kept = await levers
    .evidence?.({ scope: first.path, timeoutMs: evidenceMs, signal, snapshot: 'never' })
    .catch(() => undefined);
  return { text: kept === undefined ? text : `${text}; ${kept.text}`, releasedBytes: 0 };
}

function describe({ path, bytes }: LeverScope): string {
  return `${path} (${formatByteSize(bytes)})`;
}
