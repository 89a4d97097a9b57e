import { Worker } from 'node:worker_threads';
import { flagsFor, moduleBeside } from '@plimsoll/core/internal/own-module';
import type { WorkerReply, WorkerRequest, WriterStart } from './protocol.ts';

const shortestPauseMs = 100;
const longestPauseMs = 30_000;
/** A thread that ran for this long is restarted after the shortest pause. */
const healthyMs = 10_000;

/** `resting`: no thread runs, and the next `wake` starts one. */
export type LinkState = 'resting' | 'starting' | 'ready' | 'down' | 'closed';

interface LinkEvents {
  /** Every reply of the worker. */
  reply(reply: WorkerReply): void;
  /** Called when the thread is gone or could not open the files. It is restarted after a pause. */
  down(reason: string): void;
}

/**
 * Controls the writer thread from the main thread. It starts the thread when woken, restarts it with growing pauses when it dies, and keeps
 * the process alive only while held.
 */
export class WorkerLink {
  readonly #start: WriterStart;
  readonly #events: LinkEvents;
  readonly #entry: URL;
  #worker: Worker | undefined;
  #pause: NodeJS.Timeout | undefined;
  #failures = 0;
  #held = false;
  #ended: (() => void)[] = [];
  state: LinkState = 'resting';
  restarts = 0;

  constructor(start: WriterStart, events: LinkEvents, entry = moduleBeside('worker', import.meta.url)) {
    this.#start = start;
    this.#events = events;
    this.#entry = entry;
  }

  wake(): void {
    if (this.state === 'resting') this.#spawn();
  }

  /** Ends a thread that has confirmed everything. */
  rest(): void {
    if (this.state !== 'ready') return;
    this.state = 'resting';
    this.post({ type: 'close' });
    this.#worker = undefined;
  }

  post(request: WorkerRequest): void {
    this.#worker?.postMessage(request);
  }

  /** While held, the thread counts as work of the process. */
  hold(on: boolean): void {
    if (this.#held === on) return;
    this.#held = on;
    if (on) this.#worker?.ref();
    else this.#worker?.unref();
  }

  /** Ends the thread for good; resolves when it is gone. */
  async end(): Promise<void> {
    this.state = 'closed';
    clearTimeout(this.#pause);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  /** Resolves when the thread has ended by itself, as it does after a close request. */
  ended(): Promise<void> {
    if (this.#worker === undefined) return Promise.resolve();
    return new Promise((resolve) => this.#ended.push(resolve));
  }

  #spawn(): void {
    this.state = 'starting';
    let worker: Worker;
    try {
      worker = new Worker(this.#entry, {
        workerData: this.#start,
        name: 'plimsoll-ledger',
        // The flags of the process and NODE_OPTIONS may preload code that must not run a second time in the thread.
        execArgv: flagsFor(this.#entry),
        env: {},
        resourceLimits: { maxYoungGenerationSizeMb: 4 },
      });
    } catch (error) {
      this.#down(String(error));
      return;
    }
    this.#worker = worker;
    let reason = 'the thread ended';
    const born = performance.now();
    worker.on('error', (error) => (reason = error instanceof Error ? error.message : String(error)));
    worker.on('message', (reply: WorkerReply) => {
      if (this.#worker !== worker) return;
      if (reply.type === 'ready') this.state = 'ready';
      if (reply.type === 'failed' && reply.what === 'open') reason = reply.message;
      this.#events.reply(reply);
    });
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const done of this.#ended.splice(0)) done();
      if (this.state === 'closed') return;
      if (performance.now() - born > healthyMs) this.#failures = 0;
      this.#down(reason);
    });
    // This comes after adding the listener, because a listener for messages references the thread again.
    if (!this.#held) worker.unref();
  }

  #down(reason: string): void {
    this.state = 'down';
    const pauseMs = Math.min(longestPauseMs, shortestPauseMs * 2 ** this.#failures++);
    this.#pause = setTimeout(() => {
      this.restarts++;
      this.#spawn();
    }, pauseMs);
    this.#pause.unref();
    this.#events.down(reason);
  }
}
