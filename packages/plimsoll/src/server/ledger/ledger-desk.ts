import { Worker } from 'node:worker_threads';
import { PlimsollError } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { flagsFor, moduleBeside } from '@plimsoll/core/internal/own-module';
import type { Question, Questions, LedgerReply, LedgerRequest } from './question.ts';

const mostWaiting = 32;
const longestMs = 10_000;
const restMs = 60_000;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Reads ledgers on a thread of its own, so that a query over a month never blocks other requests. The thread starts with the first
 * question, ends after a minute without one, and is restarted when it dies. The number of waiting questions is bounded.
 */
export class LedgerDesk implements AsyncDisposable {
  readonly #entry: URL;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #rest: NodeJS.Timeout | undefined;
  #asked = 0;

  constructor(entry = moduleBeside('ledger-thread', import.meta.url)) {
    this.#entry = entry;
  }

  /** True while the thread lives. */
  get isOpen(): boolean {
    return this.#worker !== undefined;
  }

  ask<Q extends Question>(
    dir: string,
    question: Q,
    args: Questions[Q]['args'],
  ): Promise<Questions[Q]['answer']> {
    if (this.#waiting.size >= mostWaiting) {
      return Promise.reject(
        failure('PLM_SERVER_BUSY', { what: 'questions to the ledger wait', most: mostWaiting }),
      );
    }
    clearTimeout(this.#rest);
    const worker = (this.#worker ??= this.#start());
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        // A hanging thread is dropped, and the next question starts a new one.
        this.#drop(worker, 'no answer in time');
      }, longestMs);
      timer.unref();
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, timer });
      // While a question waits, the thread keeps this process alive.
      worker.ref();
      worker.postMessage({ id, dir, question, args } satisfies LedgerRequest<Q>);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#rest);
    const worker = this.#worker;
    this.#drop(worker, 'the server ends');
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, {
      name: 'plimsoll-ledger-reader',
      execArgv: flagsFor(this.#entry),
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 },
    });
    let reason = 'the thread ended';
    worker.on('error', (error) => (reason = error instanceof Error ? error.message : String(error)));
    worker.on('message', (reply: LedgerReply) => this.#hear(reply));
    worker.on('exit', () => this.#drop(worker, reason));
    worker.unref();
    return worker;
  }

  #hear(reply: LedgerReply): void {
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    this.#waiting.delete(reply.id);
    clearTimeout(waiting.timer);
    if (reply.ok) waiting.resolve(reply.value);
    else waiting.reject(new PlimsollError(reply.code, reply));
    if (this.#waiting.size > 0) return;
    this.#worker?.unref();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#drop(this.#worker, 'at rest'), restMs).unref();
  }

  #drop(worker: Worker | undefined, reason: string): void {
    if (worker === undefined || worker !== this.#worker) return;
    this.#worker = undefined;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(failure('PLM_SERVER_NO_LEDGER', { dir: 'ledger', reason }));
    }
    this.#waiting.clear();
    void worker.terminate();
  }
}
