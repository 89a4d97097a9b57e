import { join } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { isPlimsollError } from '@plimsoll/core';
import type { ApprovalRow, Frame } from '@plimsoll/host/protocol/frame';
import type { Descriptor } from '@plimsoll/host/protocol';
import type { ActBody, Explanation, ProcessRow, SnapshotAnswer } from '@plimsoll/host/protocol/api';
import { ask, watchFeed } from '@plimsoll/host/protocol';
import type { ActAnswer, PolicyInForce, ScopePage } from '@plimsoll/host/protocol/answers';
import type { Decision, Listener, Source } from './source.ts';
import { ScopeFeed } from './stream/scope-feed.ts';
import type { AllScopes } from './scope-page.ts';

const mostPages = 2000;
const pageMs = 5000;

/** One round through the scopes of a process: pages until the last one. Each page is short work for the process. */
async function scopeRound(
  socket: string,
  watch: { readonly name: string; readonly fresh: boolean },
  take: (page: ScopePage) => void,
  signal?: AbortSignal,
): Promise<void> {
  let { fresh } = watch;
  for (let i = 0; i < mostPages; i++) {
    const page = await ask<ScopePage>(
      socket,
      'scopes',
      { watch: watch.name, fresh },
      { timeoutMs: pageMs, ...(signal === undefined ? {} : { signal }) },
    );
    take(page);
    if (page.done) return;
    fresh = false;
  }
}

/** Longest wait for a frame. The slowest interval of readings is well below. */
const frameWaitMs = 5000;
/** The feed stays open this long after the last question. */
const restMs = 15_000;
/** Longest wait for a prediction, which may count the objects of the heap. */
/** Longest wait for an action, because parking writes files. */
const actWaitMs = 60_000;
const snapshotWaitMs = 15_000;
const shortestPollMs = 1000;
/** Requests within this time share one answer. */
const sharedMs = 1000;
/** Most share of the time for requesting scopes. */
const pollShare = 0.1;

interface Waiting {
  readonly resolve: (frame: Frame) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * A running process through its feed and control socket. It is connected only while there are questions or listeners, and requests scopes
 * only while there are listeners.
 */
export class LiveSource implements Source, Disposable {
  readonly process: ProcessRow;
  readonly run = undefined;
  readonly table = new ScopeFeed();
  readonly #dir: string;
  readonly #socket: string;
  readonly #listeners = new Set<Listener>();
  readonly #waiting = new Set<Waiting>();
  #feed: { close(): void } | undefined;
  #newest: Frame | undefined;
  #rest: NodeJS.Timeout | undefined;
  #poll: AbortController | undefined;
  #scopes: { readonly at: number; readonly answer: Promise<AllScopes> } | undefined;

  constructor(dir: string, descriptor: Descriptor) {
    const { pid, target, startedAt, socket } = descriptor;
    this.process = { id: String(pid), pid, target, startedAt, endedAt: null, state: 'running' };
    this.#dir = dir;
    this.#socket = socket;
  }

  get ledgerDir(): string | null {
    return this.#newest === undefined ? join(this.#dir, 'ledger') : this.#newest.ledger.dir;
  }

  get isConnected(): boolean {
    return this.#feed !== undefined;
  }

  frame(): Promise<Frame> {
    this.#connect();
    if (this.#newest !== undefined) return Promise.resolve(this.#newest);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        resolve,
        reject,
        timer: setTimeout(() => {
          this.#waiting.delete(waiting);
          reject(failure('PLM_SERVER_NO_READING', { pid: this.process.pid as number }));
        }, frameWaitMs).unref(),
      };
      this.#waiting.add(waiting);
    });
  }

  /** All requests within a second get the same answer, so the process is asked once and the rows are serialised once. */
  scopes(): Promise<AllScopes> {
    const now = performance.now();
    if (this.#scopes === undefined || now - this.#scopes.at > sharedMs) {
      const answer = this.#readScopes();
      this.#scopes = { at: now, answer };
      answer.catch(() => (this.#scopes = undefined));
    }
    return this.#scopes.answer;
  }

  async #readScopes(): Promise<AllScopes> {
    if (this.#poll !== undefined && this.table.size > 0) {
      const at = Date.now();
      return { at, rows: this.table.rows(at) };
    }
    const table = new ScopeFeed();
    const name = watchName();
    await scopeRound(this.#socket, { name, fresh: true }, (page) =>
      table.apply(page.rows, page.gone, page.at, page.full),
    );
    const at = Date.now();
    return { at, rows: table.rows(at) };
  }

  async approvals(): Promise<readonly ApprovalRow[]> {
    try {
      return rowsOf(await ask(this.#socket, 'approvals.list'));
    } catch (error) {
      if (!isUnknownOp(error)) throw error;
      return (await this.frame()).governance.approvals;
    }
  }

  decide({ caller, id, digest, decision, comment, key }: Decision): Promise<ApprovalRow> {
    return ask<ApprovalRow>(this.#socket, 'approvals.decide', {
      id,
      digest,
      decision,
      channel: 'dashboard',
      ...(comment === '' ? {} : { comment }),
      ...(key === '' ? {} : { key }),
      ...(caller.token === undefined ? {} : { token: caller.token }),
      // The process learns who decided, and not only whose server passed the decision on.
      ...(caller.role === undefined ? {} : { for: caller.by }),
    });
  }

  async policy(): Promise<PolicyInForce | null> {
    try {
      return await ask<PolicyInForce>(this.#socket, 'policy');
    } catch (error) {
      if (!isUnknownOp(error)) throw error;
      return null;
    }
  }

  explain(scope: string): Promise<Explanation> {
    return ask<Explanation>(this.#socket, 'explain', { scope });
  }

  snapshot(): Promise<SnapshotAnswer> {
    return ask<SnapshotAnswer>(this.#socket, 'snapshot.state', {}, { timeoutMs: snapshotWaitMs });
  }

  act(request: ActBody, by: string): Promise<ActAnswer> {
    return ask<ActAnswer>(this.#socket, 'act', { ...request, by }, { timeoutMs: actWaitMs });
  }

  takeSnapshot(): Promise<SnapshotAnswer> {
    return ask<SnapshotAnswer>(this.#socket, 'snapshot.take', {}, { timeoutMs: snapshotWaitMs });
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#connect();
    if (this.#newest !== undefined) listener.onFrame(this.#newest);
    if (this.#poll === undefined) void this.#follow();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#poll?.abort();
      this.#poll = undefined;
      this.table.clear();
      this.#restSoon();
    };
  }

  [Symbol.dispose](): void {
    this.#poll?.abort();
    this.#disconnect();
    this.#lose();
  }

  #connect(): void {
    this.#restSoon();
    this.#feed ??= watchFeed(this.#socket, {
      onFrame: (frame) => this.#take(frame),
      onClose: () => {
        if (this.#feed === undefined) return;
        this.#disconnect();
        this.#lose();
      },
    });
  }

  #take(frame: Frame): void {
    this.#newest = frame;
    for (const { resolve, timer } of this.#waiting) {
      clearTimeout(timer);
      resolve(frame);
    }
    this.#waiting.clear();
    for (const listener of this.#listeners) listener.onFrame(frame);
  }

  /** Called when the process has ended or admits no more watchers. */
  #lose(): void {
    for (const { reject, timer } of this.#waiting) {
      clearTimeout(timer);
      reject(failure('PLM_SERVER_NO_READING', { pid: this.process.pid as number }));
    }
    this.#waiting.clear();
    for (const listener of this.#listeners) listener.onGone();
  }

  #disconnect(): void {
    clearTimeout(this.#rest);
    const feed = this.#feed;
    this.#feed = undefined;
    this.#newest = undefined;
    feed?.close();
  }

  #restSoon(): void {
    clearTimeout(this.#rest);
    if (this.#listeners.size > 0) return;
    this.#rest = setTimeout(() => {
      if (this.#listeners.size === 0) this.#disconnect();
    }, restMs).unref();
  }

  /** Requests the scopes in rounds while there are listeners. A process that answers slowly is asked less often. */
  async #follow(): Promise<void> {
    const poll = new AbortController();
    this.#poll = poll;
    const name = watchName();
    let fresh = true;
    while (!poll.signal.aborted) {
      const begun = performance.now();
      try {
        await scopeRound(this.#socket, { name, fresh }, (page) => this.#merge(page), poll.signal);
        fresh = false;
      } catch {
        // The process is too slow, too busy or has ended; the feed shows which. The rows so far may be incomplete, so the next round starts
        // again.
        fresh = true;
      }
      const tookMs = performance.now() - begun;
      await pause(Math.max(shortestPollMs, tookMs / pollShare), poll.signal);
    }
  }

  #merge(page: Parameters<Parameters<typeof scopeRound>[2]>[0]): void {
    this.table.apply(page.rows, page.gone, page.at, page.full);
    for (const listener of this.#listeners) listener.onScopes();
  }
}

let watches = 0;

/** Distinguishes this watch from others. It is a name and not a secret. */
function watchName(): string {
  return `${process.pid}-${++watches}-${Math.random().toString(36).slice(2)}`;
}

function isUnknownOp(error: unknown): boolean {
  return isPlimsollError(error) && error.code === 'PLM_CONTROL_UNKNOWN_OP';
}

function rowsOf(value: unknown): readonly ApprovalRow[] {
  if (Array.isArray(value)) return value as ApprovalRow[];
  const rows = (value as { rows?: unknown } | null)?.rows;
  return Array.isArray(rows) ? (rows as ApprovalRow[]) : [];
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms).unref();
    signal.addEventListener('abort', end);
  });
}
