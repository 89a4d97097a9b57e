import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { ControlHandler, ControlOps } from '../protocol/control.ts';
import { ControlSession } from './control-session.ts';
import { removeFile } from '@plimsoll/core/internal/remove-file';

const mostWatchers = 16;
/**
 * Most connections, watchers and askers together. It is above the number of watchers, so that asking works when no more watchers are
 * admitted.
 */
const mostConnections = 48;
const handlerMs = 10_000;

interface FeedServerOptions {
  /** Time in which a connection that cannot watch has to ask something, default 500 ms. */
  readonly askWithinMs?: number;
  /** Time after which an operation is answered with a timeout error, default 10 s. */
  readonly handlerMs?: number;
}

/**
 * The feed of a governed process: a socket that only its owner can open. Every reading goes out as one line, and requests come in. A
 * watcher that does not read skips frames; nothing is ever queued for it beyond one frame. The socket never keeps the process alive.
 */
export class FeedServer {
  readonly #path: string;
  readonly #options: FeedServerOptions;
  readonly #connections = new Set<Socket>();
  /** For a watcher of brief frames, the number of the rows that it has. */
  readonly #watchers = new Map<Socket, number | undefined>();
  readonly #handlers = new Map<string, ControlHandler>();
  #server: Server | undefined;
  #skipped = 0;

  constructor(path: string, options: FeedServerOptions = {}) {
    this.#path = path;
    this.#options = options;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  get connections(): number {
    return this.#connections.size;
  }

  get skippedFrames(): number {
    return this.#skipped;
  }

  /** Sets the handler of an operation. A later handler of the same name replaces it. */
  answer(op: string, handler: ControlHandler): void {
    this.#handlers.set(op, handler);
  }

  /** Sets the handlers of groups of operations, and `ops`, which lists them. */
  offer(groups: readonly ControlOps[]): void {
    const names: string[] = ['ops'];
    for (const group of groups) {
      for (const [op, handler] of Object.entries(group)) {
        this.answer(op, handler);
        names.push(op);
      }
    }
    this.answer('ops', () => names.toSorted());
  }

  listen(onFault: (error: Error) => void): void {
    removeFile(this.#path);
    const server = createServer((socket) => this.#welcome(socket));
    server.on('error', onFault);
    server.listen(this.#path, () => {
      try {
        chmodSync(this.#path, 0o600);
      } catch (error) {
        onFault(error as Error);
      }
    });
    server.unref();
    this.#server = server;
  }

  /**
   * Sends a frame to every watcher that has read the one before. The text is made only when somebody watches. A watcher that takes brief
   * frames gets the rows of each number once.
   */
  push(frame: (isBrief: boolean) => string, rowsNumber = Number.NaN): void {
    const lines: { whole?: string; brief?: string } = {};
    for (const [socket, rows] of this.#watchers) {
      if (socket.writableNeedDrain || socket.writableLength > 0) {
        this.#skipped++;
        continue;
      }
      if (rows === rowsNumber) socket.write((lines.brief ??= `${frame(true)}\n`));
      else socket.write((lines.whole ??= `${frame(false)}\n`));
      if (rows !== undefined) this.#watchers.set(socket, rowsNumber);
    }
  }

  close(): void {
    for (const socket of this.#connections) socket.destroy();
    this.#connections.clear();
    this.#watchers.clear();
    this.#server?.close();
    removeFile(this.#path);
  }

  #welcome(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    if (this.#connections.size >= mostConnections) {
      socket.destroy();
      return;
    }
    socket.unref();
    this.#connections.add(socket);
    const isWatcher = this.#watchers.size < mostWatchers;
    if (isWatcher) this.#watchers.set(socket, undefined);
    const patience = isWatcher
      ? undefined
      : setTimeout(() => socket.destroy(), this.#options.askWithinMs ?? 500).unref();
    const session = {
      handlers: this.#handlers,
      handlerMs: this.#options.handlerMs ?? handlerMs,
      onAsk: () => {
        clearTimeout(patience);
        this.#watchers.delete(socket);
      },
      onBrief: () => {
        if (this.#watchers.has(socket)) this.#watchers.set(socket, Number.NaN);
      },
    };
    socket.on('close', () => {
      clearTimeout(patience);
      this.#connections.delete(socket);
      this.#watchers.delete(socket);
    });
    new ControlSession(socket, session).start();
  }
}
