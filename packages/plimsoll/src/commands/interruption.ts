/** What Ctrl-C and SIGTERM abort instead of ending us, until it is disposed of: the command then says what it has so far. */
export class Interruption implements Disposable {
  readonly #controller = new AbortController();
  readonly #abort = (): void => this.#controller.abort();

  constructor() {
    process.on('SIGINT', this.#abort);
    process.on('SIGTERM', this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    process.off('SIGINT', this.#abort);
    process.off('SIGTERM', this.#abort);
  }
}
