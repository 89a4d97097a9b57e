import { DeadlineList } from './deadline-list.ts';
import type { Ticket } from './ticket.ts';

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

  /** The soonest one when it is due; it stays until it is removed. */
  due(nowMs: number): Ticket | undefined {
    return this.#deadlines.due(nowMs);
  }

  /** A list of its own, so that tickets may leave while it is walked. */
  all(): readonly Ticket[] {
    return [...this.#byId.values()];
  }
}
