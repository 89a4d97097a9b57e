import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { isPlimsollError } from '@plimsoll/core';
import { LedgerReader } from '@plimsoll/ledger';
import { bringHome } from '@plimsoll/ledger/internal/read/bring-home';
import { LedgerAnswers } from './ledger-answers.ts';
import type { LedgerReply, LedgerRequest } from './question.ts';

/** Interval at which a ledger is reopened. It is shorter for a young process, whose files may not all exist yet. */
const wholeMs = 600_000;
const youngMs = 2000;
/** Interval at which journals of a running process are copied while there are questions. */
const refreshMs = 5000;
const mostOpen = 8;

interface Open {
  readonly answers: LedgerAnswers;
  refreshedAt: number;
  /** On the clock of `performance.now()`. */
  readonly until: number;
}

/** The open ledgers of the reading thread, by folder. */
export class LedgerRoom implements Disposable {
  readonly #open = new Map<string, Open>();

  answer(request: LedgerRequest): LedgerReply {
    const { id, dir, question, args } = request;
    try {
      const answers = this.#ledger(dir);
      const answer = answers[question].bind(answers) as (args: LedgerRequest['args']) => unknown;
      return { id, ok: true, value: answer(args) };
    } catch (error) {
      this.#close(dir);
      const { code, message, where, fix } = isPlimsollError(error)
        ? error
        : failure('PLM_SERVER_NO_LEDGER', { dir, reason: (error as Error).message });
      return { id, ok: false, code, message, where, fix };
    }
  }

  [Symbol.dispose](): void {
    for (const dir of this.#open.keys()) this.#close(dir);
  }

  #ledger(dir: string): LedgerAnswers {
    const known = this.#open.get(dir);
    const now = performance.now();
    if (known !== undefined && now < known.until) {
      if (now - known.refreshedAt > refreshMs) {
        bringHome(dir);
        known.refreshedAt = now;
      }
      return known.answers;
    }
    this.#close(dir);
    if (this.#open.size >= mostOpen) this.#close(this.#open.keys().next().value as string);
    const answers = new LedgerAnswers(new LedgerReader(dir));
    const isWhole = ['samples.db', 'audit.db'].every((name) => existsSync(join(dir, name)));
    const until = now + (isWhole ? wholeMs : youngMs);
    this.#open.set(dir, { answers, refreshedAt: now, until });
    return answers;
  }

  #close(dir: string): void {
    this.#open.get(dir)?.answers.close();
    this.#open.delete(dir);
  }
}
