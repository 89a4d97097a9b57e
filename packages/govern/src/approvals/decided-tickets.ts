import { KeyBook } from './key-book.ts';
import type { Ticket } from './ticket.ts';

const mostDecided = 256;

/** The newest tickets that were decided, with the idempotency keys of all decisions; a key is forgotten with its ticket. */
export class DecidedTickets {
  readonly keys = new KeyBook();
  readonly #byId = new Map<string, Ticket>();

  get(id: string): Ticket | undefined {
    return this.#byId.get(id);
  }

  /** Adds a ticket and removes the oldest when there are too many. A ticket that still has to run or be used removes itself. */
  add(ticket: Ticket): void {
    this.#byId.set(ticket.id, ticket);
    if (this.#byId.size <= mostDecided) return;
    for (const old of this.#byId.values()) {
      if (old === ticket || !old.isUsed) continue;
      this.keys.forget(old);
      this.#byId.delete(old.id);
      return;
    }
  }

  /** Newest first. */
  all(): readonly Ticket[] {
    return [...this.#byId.values()].reverse();
  }
}
