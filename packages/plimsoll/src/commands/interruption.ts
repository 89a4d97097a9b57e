/**
 * Until it is disposed of, Ctrl-C and SIGTERM abort its signal instead of ending the process. The command can then print its results so
 * far.
 */
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
