/** Messages that stay or go together: one message, or a tool call with its results. */
export class Unit<M> {
  messages: M[];
  bytes: number;
  tokens: number;
  /** Number of the turn it belongs to. */
  readonly turn: number;
  /** Tool calls without an answer. */
  open = 0;
  readonly isUser: boolean;

  constructor(message: M, bytes: number, tokens: number, turn: number, isUser: boolean) {
    this.messages = [message];
    this.bytes = bytes;
    this.tokens = tokens;
    this.turn = turn;
    this.isUser = isUser;
  }
}

/** The units of a window, oldest first, with their sums. */
export class UnitList<M> {
  bytes = 0;
  tokens = 0;
  #units: Unit<M>[] = [];
  #head = 0;

  get length(): number {
    return this.#units.length - this.#head;
  }

  get first(): Unit<M> | undefined {
    return this.#units[this.#head];
  }

  at(index: number): Unit<M> {
    return this.#units[this.#head + index] as Unit<M>;
  }

  push(unit: Unit<M>): void {
    this.#units.push(unit);
    this.bytes += unit.bytes;
    this.tokens += unit.tokens;
  }

  /** Adds a message to a unit that is in the list. */
  join(unit: Unit<M>, message: M, bytes: number, tokens: number): void {
    // A list that is pushed to reserves 17 places; most units end with two or three messages.
    if (unit.messages.length < 8) unit.messages = [...unit.messages, message];
    else unit.messages.push(message);
    unit.bytes += bytes;
    unit.tokens += tokens;
    this.bytes += bytes;
    this.tokens += tokens;
  }

  /** Index of a unit, -1 when it has left. */
  indexOf(unit: Unit<M>): number {
    const index = this.#units.indexOf(unit, this.#head);
    return index < 0 ? -1 : index - this.#head;
  }

  /** Takes out `count` units from an index on. */
  remove(from: number, count: number): Unit<M>[] {
    let gone: Unit<M>[];
    if (from === 0) {
      gone = this.#units.slice(this.#head, this.#head + count);
      this.#units.fill(undefined as unknown as Unit<M>, this.#head, this.#head + count);
      this.#head += count;
      if (this.#head > 64 && 2 * this.#head > this.#units.length) {
        this.#units = this.#units.slice(this.#head);
        this.#head = 0;
      }
    } else gone = this.#units.splice(this.#head + from, count);
    for (const unit of gone) {
      this.bytes -= unit.bytes;
      this.tokens -= unit.tokens;
    }
    return gone;
  }

  *[Symbol.iterator](): Iterator<Unit<M>> {
    for (let i = this.#head; i < this.#units.length; i++) yield this.#units[i] as Unit<M>;
  }
}
