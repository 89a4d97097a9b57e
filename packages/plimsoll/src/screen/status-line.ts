/** The terminal a status line is drawn on. */
export interface Terminal {
  write(text: string): unknown;
  readonly rows?: number;
  readonly columns?: number;
}

const escape = '\u001b[';

/**
 * One line kept at the bottom of the terminal while another program writes above it. The program's own output is not touched: the scroll
 * region (DECSTBM) ends one row above the line, as in apt.
 */
export class StatusLine {
  readonly #terminal: Terminal;
  #rows = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(text: string): void {
    const rows = this.#terminal.rows ?? 24;
    const columns = this.#terminal.columns ?? 80;
    if (rows < 3) return;
    if (rows !== this.#rows) this.#reserve(rows);
    const cut = visibleSlice(text, columns - 1);
    this.#terminal.write(`${escape}s${escape}${rows};1H${escape}2K${cut}${escape}0m${escape}u`);
  }

  clear(): void {
    if (this.#rows === 0) return;
    this.#terminal.write(`${escape}s${escape}${this.#rows};1H${escape}2K${escape}1;${this.#rows}r${escape}u`);
    this.#rows = 0;
  }

  #reserve(rows: number): void {
    // The line feed makes room when the cursor is on the last row.
    this.#terminal.write(`\n${escape}1A${escape}s${escape}1;${rows - 1}r${escape}u`);
    this.#rows = rows;
  }
}

/** The first `width` visible characters, escape sequences kept whole. */
export function visibleSlice(text: string, width: number): string {
  if (text.length <= width) return text;
  if (!text.includes(escape)) return text.slice(0, width);
  let seen = 0;
  let at = 0;
  while (at < text.length && seen < width) {
    if (text.startsWith(escape, at)) {
      let end = at + 2;
      while (end < text.length && !/[A-Za-z]/.test(text[end] as string)) end++;
      at = end + 1;
    } else {
      at++;
      seen++;
    }
  }
  return text.slice(0, at);
}
