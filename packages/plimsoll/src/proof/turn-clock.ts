/**
 * Counts the turns of the event loop and tells each one, without keeping the process alive and without making the loop turn.
 *
 * An immediate that is not referenced runs once in every turn that happens anyway. Turns are the nearest thing to the work of a program that
 * can be had without knowing it: a request, a step of a queue, a look at a result each take some, however long or short they are. Time
 * is not: what a program does in its second half may take a hundredth of the first.
 */
export class TurnClock {
  // Kept before the program runs: what it puts in their place is not for us.
  readonly #arm = setImmediate;
  readonly #onTurn: () => void;
  #pending: NodeJS.Immediate | undefined;
  #count = 0;

  constructor(onTurn: () => void) {
    this.#onTurn = onTurn;
  }

  /** Turns since the start. */
  get count(): number {
    return this.#count;
  }

  start(): void {
    this.#pending ??= this.#arm(this.#turn).unref();
  }

  stop(): void {
    if (this.#pending !== undefined) clearImmediate(this.#pending);
    this.#pending = undefined;
  }

  readonly #turn = (): void => {
    this.#count++;
    this.#pending = this.#arm(this.#turn).unref();
    this.#onTurn();
  };
}
