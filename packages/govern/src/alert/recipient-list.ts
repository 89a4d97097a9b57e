import type { BookEntry } from './alert-book.ts';
import type { Notice } from './alert.ts';
import type { OutboxOptions, RecipientCounts, Recipients } from './outbox.ts';
import { Outbox } from './outbox.ts';
import type { BoardTurn } from './recipient-board.ts';
import { RecipientBoard } from './recipient-board.ts';
import type { DeliveryOutcome } from './sinks/delivery-queue.ts';

/** The recipients, each with its history and its sink. */
export class RecipientList {
  readonly #options: Omit<OutboxOptions, 'recipients'>;
  readonly #boards = new Map<string, RecipientBoard>();
  #outbox: Outbox;

  constructor(recipients: Recipients, options: Omit<OutboxOptions, 'recipients'>) {
    this.#options = options;
    this.#outbox = this.#open(recipients);
  }

  get counts(): Readonly<Record<string, RecipientCounts>> {
    return this.#outbox.counts;
  }

  get hasMirrors(): boolean {
    return this.#outbox.hasMirrors;
  }

  /** Replaces the recipients. One with the same name keeps its history. */
  replace(recipients: Recipients): void {
    this.#outbox.close();
    this.#outbox = this.#open(recipients);
  }

  /** Sends each recipient the notices that are due. */
  turn(entries: readonly BookEntry[], turn: BoardTurn): void {
    for (const [name, board] of this.#boards) if (!this.#outbox.isGone(name)) board.turn(entries, turn);
    for (const notice of turn.notices) this.#outbox.push(notice);
  }

  /** Whether the end of an alert still has to be sent to any recipient. */
  awaits(fingerprint: string): boolean {
    for (const board of this.#boards.values()) if (board.awaits(fingerprint)) return true;
    return false;
  }

  forget(fingerprint: string): void {
    for (const board of this.#boards.values()) board.forget(fingerprint);
  }

  /** Called when the book has changed, so that mirrors are sent the new state. */
  changed(): void {
    this.#outbox.changed();
  }

  drained(ms: number): Promise<void> {
    return this.#outbox.drained(ms);
  }

  close(): void {
    this.#outbox.close();
  }

  #open(recipients: Recipients): Outbox {
    for (const name of this.#boards.keys())
      if (!recipients.some((each) => each.rule.name === name)) this.#boards.delete(name);
    const onSettled = (notice: Notice, outcome: DeliveryOutcome): void => {
      this.#boards.get(notice.recipient)?.settled(notice, outcome.arrived);
      this.#options.onSettled(notice, outcome);
    };
    const outbox = new Outbox({ ...this.#options, recipients, onSettled });
    for (const name of outbox.queued)
      if (!this.#boards.has(name)) this.#boards.set(name, new RecipientBoard(name));
    return outbox;
  }
}
