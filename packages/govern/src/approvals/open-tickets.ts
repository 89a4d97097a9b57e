import type { Ticket } from './ticket.ts';

/** Tickets ordered by deadline, so that finding the due ones is cheap. */
class DeadlineList<Item extends { readonly deadlineMs: number }> {
  /** Latest first, so that removing the soonest moves no elements. */
  readonly #items: Item[] = [];

  get soonestMs(): number | undefined {
    return this.#items.at(-1)?.deadlineMs;
  }

  add(item: Item): void {
    this.#items.splice(this.#firstNotAfter(item.deadlineMs), 0, item);
  }

  remove(item: Item): void {
    let i = this.#firstNotAfter(item.deadlineMs);
    while (i < this.#items.length && this.#items[i] !== item) i++;
    if (i < this.#items.length) this.#items.splice(i, 1);
  }

  /** The soonest item if it is due. It stays in the list until it is removed. */
  due(nowMs: number): Item | undefined {
    const soonest = this.#items.at(-1);
    return soonest !== undefined && soonest.deadlineMs <= nowMs ? soonest : undefined;
  }

  /** Index of the first item whose deadline is not after this one. */
  #firstNotAfter(deadlineMs: number): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#items[middle] as Item).deadlineMs > deadlineMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The tickets that are open, by id, by entry, by digest and by deadline. */
export class OpenTickets {
  readonly #byId = new Map<string, Ticket>();
  readonly #countOf = new Map<string, number>();
  readonly #deadlines = new DeadlineList<Ticket>();

  get size(): number {
    return this.#byId.size;
  }

  get soonestMs(): number | undefined {
    return this.#deadlines.soonestMs;
  }

  countOf(rule: string): number {
    return this.#countOf.get(rule) ?? 0;
  }

  get(id: string): Ticket | undefined {
    return this.#byId.get(id);
  }

  add(ticket: Ticket): void {
    const { name } = ticket.rule;
    this.#byId.set(ticket.id, ticket);
    this.#countOf.set(name, this.countOf(name) + 1);
    this.#deadlines.add(ticket);
  }

  remove(ticket: Ticket): void {
    if (!this.#byId.delete(ticket.id)) return;
    const { name } = ticket.rule;
    const left = this.countOf(name) - 1;
    if (left === 0) this.#countOf.delete(name);
    else this.#countOf.set(name, left);
    this.#deadlines.remove(ticket);
  }

  /** The soonest ticket if it is due. It stays until it is removed. */
  due(nowMs: number): Ticket | undefined {
    return this.#deadlines.due(nowMs);
  }

  /** All tickets in a new list, so that tickets may leave while it is walked. */
  all(): readonly Ticket[] {
    return [...this.#byId.values()];
  }
}
