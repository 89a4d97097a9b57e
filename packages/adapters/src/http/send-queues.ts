import type { Scope } from '@plimsoll/core';
import { warnOnce } from '@plimsoll/core/internal/errors';
import { formatByteSize } from '@plimsoll/core/units';

/** A response or the socket of a WebSocket: what the program has written and the client has not taken yet. */
export interface Connection {
  readonly writableLength: number;
  destroy(error?: Error): unknown;
}

interface Queue {
  readonly scope: Scope;
  line: ReturnType<Scope['line']> | undefined;
}

const everyMs = 1000;
/** Smaller queues are what a healthy connection has. */
const worthCharging = 64 * 1024;

/**
 * The bytes that wait for slow clients. A program that ignores the answer of `write` (SSE and WebSocket servers often do) keeps everything
 * that a slow or dead client does not take. The bytes are charged to the request; above the bound the connection is closed, which is what
 * the client's own network would do to it in the end.
 */
export class SendQueues {
  readonly #boundBytes: () => number | undefined;
  readonly #open = new Map<Connection, Queue>();
  #timer: NodeJS.Timeout | undefined;

  /** `boundBytes` is asked at every look; undefined closes nothing. */
  constructor(boundBytes: () => number | undefined) {
    this.#boundBytes = boundBytes;
  }

  add(connection: Connection, scope: Scope): void {
    this.#open.set(connection, { scope, line: undefined });
    this.#timer ??= setInterval(() => this.look(), everyMs).unref();
  }

  /** True for a connection that was added and has not closed. */
  has(connection: unknown): boolean {
    return this.#open.has(connection as Connection);
  }

  delete(connection: Connection): void {
    this.#open.delete(connection);
  }

  /** Charges what waits now, and closes the connections above the bound. */
  look(): void {
    const bound = this.#boundBytes() ?? Infinity;
    for (const [connection, queue] of this.#open) {
      const bytes = connection.writableLength;
      if (bytes >= worthCharging) queue.line ??= queue.scope.line('send queue');
      queue.line?.set(bytes);
      if (bytes > bound) this.#close(connection, queue.scope, bytes, bound);
    }
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#open.clear();
  }

  #close(connection: Connection, { path }: Scope, bytes: number, bound: number): void {
    this.#open.delete(connection);
    warnOnce('PLM_ADAPTER_SLOW_CLIENT', {
      path,
      bytes: formatByteSize(bytes),
      bound: formatByteSize(bound),
    });
    connection.destroy();
  }
}
