import { channel } from 'node:diagnostics_channel';
import type { ActionRecord } from '../actions/action.ts';
import { isCleanup } from '../policy/actions.ts';

const actionChannel = channel('plimsoll:action');
const mostRows = 64;

/** Actions since the start. A running action is in none of the other counts. */
export interface ActionCounts {
  readonly actions: number;
  readonly done: number;
  /** Actions done that free memory or end work, without notices and orders to admission. */
  readonly cleanups: number;
  readonly wouldHave: number;
  readonly failed: number;
  readonly skipped: number;
  /** Measured, never below 0 per action. */
  readonly freedBytes: number;
}

/** The newest actions, one row each, and their number. Every record is published on the channel `plimsoll:action`. */
export class ActionLog {
  readonly #rows = new Map<string, ActionRecord>();
  readonly #counts = { actions: 0, done: 0, cleanups: 0, wouldHave: 0, failed: 0, skipped: 0, freedBytes: 0 };

  /** Newest last. */
  get rows(): readonly ActionRecord[] {
    return [...this.#rows.values()];
  }

  get counts(): ActionCounts {
    return { ...this.#counts };
  }

  publish(record: ActionRecord): void {
    this.note(record);
    if (actionChannel.hasSubscribers) actionChannel.publish(record);
  }

  /** Counts an action that had nothing to do and was already reported. */
  countSkip(): void {
    this.#counts.actions++;
    this.#counts.skipped++;
  }

  /** Takes a state that is shown and not published. */
  note(record: ActionRecord): void {
    if (!this.#rows.has(record.id)) this.#counts.actions++;
    this.#rows.set(record.id, record);
    if (this.#rows.size > mostRows) this.#rows.delete(this.#rows.keys().next().value as string);
    if (record.outcome === 'done') {
      this.#counts.done++;
      if (isCleanup(record.action)) this.#counts.cleanups++;
    } else if (record.outcome === 'would-have') this.#counts.wouldHave++;
    else if (record.outcome === 'failed') this.#counts.failed++;
    else if (record.outcome === 'skipped') this.#counts.skipped++;
    this.#counts.freedBytes += Math.max(0, record.freedBytes ?? 0);
  }
}
