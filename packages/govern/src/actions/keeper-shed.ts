import type { Keeper, ShedRequest } from '@plimsoll/core/keeper';
import { homeOf, keepers as rosterKeepers } from '@plimsoll/core/internal/keeper-roster';
import { budgetFor } from '../policy/budget.ts';
import { formatByteSize } from '@plimsoll/core/units';
import type { ActionContext, ActionEffect, ActionPlan } from './action.ts';
import { skipped } from './action.ts';

/** The request to one keeper. */
export interface KeeperWish {
  readonly keeper: Keeper;
  readonly request: ShedRequest;
}

/** Keepers of the given kinds that belong to the subject of the ladder and hold bytes, or may hold an unknown number. */
export function keepersOf(
  { levers, scope, policy }: Pick<ActionContext, 'levers' | 'scope' | 'policy'>,
  kinds: readonly string[],
  sizes: 'known' | 'unknown' = 'known',
): readonly Keeper[] {
  const all = (levers.keepers ?? rosterKeepers)();
  return all.filter((keeper) => {
    if (!kinds.includes(keeper.kind) || (sizes === 'known' && !(bytesOf(keeper) > 0))) return false;
    const home = homeOf(keeper);
    if (home !== undefined && policy.exempt.length > 0 && budgetFor(policy, home).exempt !== undefined)
      return false;
    if (scope === 'process') return true;
    return home !== undefined && (home === scope || home.startsWith(`${scope}/`));
  });
}

/** Bytes that a keeper reports; 0 when it cannot report them. */
export function bytesOf(keeper: Keeper): number {
  try {
    const { bytes } = keeper;
    return Number.isFinite(bytes) ? bytes : 0;
  } catch {
    return 0;
  }
}

/** "3 keepers (2 pool, 1 cache)". */
function nameKeepers(wishes: readonly KeeperWish[]): string {
  const counts = new Map<string, number>();
  for (const { keeper } of wishes) counts.set(keeper.kind, (counts.get(keeper.kind) ?? 0) + 1);
  const list = [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
  return `${wishes.length} ${wishes.length === 1 ? 'keeper' : 'keepers'} (${list})`;
}

export function planOfShed(verb: string, wishes: readonly KeeperWish[]): ActionPlan {
  const projectedBytes = wishes.reduce(
    (sum, { keeper, request }) => sum + Math.min(request.bytes, bytesOf(keeper)),
    0,
  );
  const text =
    wishes.length === 0
      ? `would have found no keeper that could ${verb} anything.`
      : `would have made ${nameKeepers(wishes)} ${verb} ${projectedBytes === 0 ? 'content of unknown size' : `at most ${formatByteSize(projectedBytes)}`}.`;
  return { text, projectedBytes };
}

/** Asks every keeper at once. A keeper that throws, hangs or answers nonsense does not affect the count of the others. */
export function shedAll(
  verb: string,
  wishes: readonly KeeperWish[],
  signal: AbortSignal,
): ActionEffect | Promise<ActionEffect> {
  return wishes.length === 0
    ? skipped(`found no keeper that could ${verb} anything.`)
    : shedEach(verb, wishes, signal);
}

async function shedEach(
  verb: string,
  wishes: readonly KeeperWish[],
  signal: AbortSignal,
): Promise<ActionEffect> {
  const held = wishes.map(({ keeper }) => bytesOf(keeper));
  const tally = { freed: 0, answered: 0, faults: 0, reason: '' };
  const sheds = wishes.map(async ({ keeper, request }, i) => {
    const mostBytes = held[i] as number;
    try {
      const freed = await keeper.shed(request);
      tally.freed += Number.isFinite(freed) ? Math.min(Math.max(0, freed), mostBytes) : 0;
    } catch (error) {
      tally.faults++;
      tally.reason ||= `${keeper.kind} "${keeper.name}": ${String(error)}`;
    }
    tally.answered++;
  });
  await Promise.race([Promise.all(sheds), aborted(signal)]);
  const silent = wishes.length - tally.answered;
  if (tally.faults === wishes.length) throw new Error(`every keeper failed, first ${tally.reason}`);
  if (silent === wishes.length) throw new Error(`no keeper answered in time (${nameKeepers(wishes)})`);
  const troubles = [
    ...(tally.faults > 0 ? [`${tally.faults} failed, first ${tally.reason}`] : []),
    ...(silent > 0 ? [`${silent} did not answer in time`] : []),
  ];
  const isSizeKnown = held.every((bytes) => bytes > 0);
  // When nothing was released, there is no effect to wait for. Keepers of unknown size may still have freed memory.
  if (tally.freed === 0 && troubles.length === 0 && isSizeKnown)
    return skipped(`found nothing to ${verb} in ${nameKeepers(wishes)}: their content is in use or small.`);
  const trouble = troubles.length === 0 ? '' : ` (${troubles.join('; ')})`;
  return {
    text: `made ${nameKeepers(wishes)} ${verb} ${formatByteSize(tally.freed)}${trouble}`,
    releasedBytes: tally.freed,
  };
}

/** Resolves shortly before the ladder gives the action up, so that the bytes freed so far still count. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
