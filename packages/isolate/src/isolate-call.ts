/** One call that waits for a process or runs in one. It settles once. */
export class IsolateCall {
  readonly input: unknown;
  readonly timeoutMs: number;
  readonly promise: Promise<unknown>;
  readonly #cleanups: (() => void)[] = [];
  #resolve!: (value: unknown) => void;
  #reject!: (error: Error) => void;
  #isSettled = false;
  /** Called when the caller gives the call up. The pool or process with the call sets it. */
  onGivenUp: ((reason: string, cause: unknown) => void) | undefined;

  constructor(input: unknown, timeoutMs: number) {
    this.input = input;
    this.timeoutMs = timeoutMs;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Ends the call when the signal is aborted. */
  follow(signal: AbortSignal, reason: () => string): void {
    const giveUp = (): void => this.onGivenUp?.(reason(), signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    this.#cleanups.push(() => signal.removeEventListener('abort', giveUp));
  }

  /** Called when the call is over. */
  onEnd(told: () => void): void {
    this.#cleanups.push(told);
  }

  resolve(value: unknown): void {
    this.#settle(() => this.#resolve(value));
  }

  reject(error: Error): void {
    this.#settle(() => this.#reject(error));
  }

  #settle(settle: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    settle();
  }

  /** Stops following the signals, once the call and its streams are over. */
  end(): void {
    for (const clean of this.#cleanups.splice(0)) clean();
    this.onGivenUp = undefined;
  }
}
