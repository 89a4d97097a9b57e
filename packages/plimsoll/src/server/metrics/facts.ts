import type { Frame } from '@plimsoll/host/protocol/frame';
import type { ActionTally } from '../ledger/question.ts';
import type { Source } from '../source.ts';
import type { Sources } from '../sources.ts';

/** Input of the metrics. */
export interface Facts {
  readonly frame: Frame;
  /** Actions since the start, by name, outcome and mode. */
  readonly actions: readonly ActionTally[];
  readonly now: number;
}

/**
 * The current facts about a process. Actions are counted from its ledger, which has all of them; without a ledger from the rows of the
 * frame.
 */
export async function factsOf(source: Source, { desk }: Pick<Sources, 'desk'>): Promise<Facts> {
  const frame = await source.frame();
  const { ledgerDir, run } = source;
  const counted =
    ledgerDir === null
      ? undefined
      : await desk
          .ask(ledgerDir, 'actions', { run, pid: source.process.pid ?? undefined })
          .catch(() => undefined);
  return { frame, actions: counted ?? talliesOf(frame), now: Date.now() };
}

/** Actions of a frame by name, outcome and mode: the newest ones only. */
export function talliesOf({ governance }: Frame): readonly ActionTally[] {
  const tallies = new Map<string, ActionTally>();
  for (const { action, outcome, mode, freedBytes } of governance.actions) {
    const key = `${action} ${outcome} ${mode}`;
    const known = tallies.get(key);
    tallies.set(key, {
      action,
      outcome,
      mode,
      count: (known?.count ?? 0) + 1,
      freedBytes: (known?.freedBytes ?? 0) + Math.max(0, freedBytes ?? 0),
    });
  }
  return [...tallies.values()];
}
