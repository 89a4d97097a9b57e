import { failure } from '@plimsoll/core/errors';
import type { Severity } from '@plimsoll/heap';
import type { Io } from '../io.ts';

const severities: readonly Severity[] = ['info', 'low', 'medium', 'high', 'critical'];

/** The bar of `--fail-on`. */
export function severityOption(value: string): Severity {
  if ((severities as readonly string[]).includes(value)) return value as Severity;
  throw failure('PLM_CLI_BAD_OPTION', {
    option: '--fail-on',
    value,
    accepted: `one of ${severities.join(', ')}`,
  });
}

/** A whole number of at least 1. */
export function countOption(option: string, value: string): number {
  const count = Number(value);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw failure('PLM_CLI_BAD_OPTION', { option, value, accepted: 'a whole number of 1 or more' });
}

/** Writes to a file the user named; a failure says which and why. */
export async function writeReport(file: string, text: string): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  try {
    await writeFile(file, text, { mode: 0o600 });
  } catch (error) {
    throw failure('PLM_CLI_CANNOT_WRITE', { file, reason: (error as Error).message }, { cause: error });
  }
}

const patienceMs = 1000;

/** A line on the terminal about work that takes longer than a second; nothing when nobody watches. */
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
