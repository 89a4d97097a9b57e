import type { Io } from '../io.ts';

const patienceMs = 1000;

/** A line on the terminal about work that takes longer than a second. Without a terminal it prints nothing. */
export class ProgressLine {
  readonly #io: Io;
  readonly #started = performance.now();
  #shown = '';

  constructor(io: Io) {
    this.#io = io;
  }

  show(text: string): void {
    if (
      this.#io.stderr.isTTY !== true ||
      performance.now() - this.#started < patienceMs ||
      text === this.#shown
    )
      return;
    this.#shown = text;
    this.#io.stderr.write(`\r\u001B[K${text}`);
  }

  clear(): void {
    if (this.#shown !== '') this.#io.stderr.write('\r\u001B[K');
    this.#shown = '';
  }
}
