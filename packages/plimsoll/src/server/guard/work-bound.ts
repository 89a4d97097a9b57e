import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface WorkBoundOptions {
  /** Requests of one connection that wait for their answer; one more ends the connection. Browsers send one at a time. Default 8. */
  readonly mostPerConnection?: number;
  /** Requests in all that wait for their answer, or whose answer is not read yet; one more is turned away. Default 128. */
  readonly mostInAll?: number;
  /** Connections that have shown no token; one more ends the oldest of them. Default 128. */
  readonly mostStrangers?: number;
}

/**
 * Bounds what clients can make the server do at once. A connection that sends requests faster than they are answered is ended: a client
 * that pipelined 60,000 of them took 4 GB. Whoever fills the server with connections ends its own: those that showed a token stay.
 */
export class WorkBound {
  readonly #options: WorkBoundOptions;
  readonly #waiting = new WeakMap<Socket, number>();
  readonly #strangers = new Set<Socket>();
  #inAll = 0;

  constructor(options: WorkBoundOptions = {}) {
    this.#options = options;
  }

  /** Requests whose answer is not written yet. */
  get inFlight(): number {
    return this.#inAll;
  }

  connected(socket: Socket): void {
    this.#strangers.add(socket);
    socket.once('close', () => this.#strangers.delete(socket));
    if (this.#strangers.size <= (this.#options.mostStrangers ?? 128)) return;
    const [oldest] = this.#strangers;
    oldest?.destroy();
  }

  /** The connection showed a token that counts. */
  isKnown(socket: Socket): void {
    this.#strangers.delete(socket);
  }

  /** True when a request may be worked on; otherwise it was answered or its connection was ended. */
  admit({ socket }: IncomingMessage, out: ServerResponse): boolean {
    // The parser goes on with what it has already read when its connection was ended.
    if (socket.destroyed) return false;
    const waiting = (this.#waiting.get(socket) ?? 0) + 1;
    if (waiting > (this.#options.mostPerConnection ?? 8)) {
      socket.destroy();
      return false;
    }
    if (this.#inAll >= (this.#options.mostInAll ?? 128)) {
      out.writeHead(503, { 'retry-after': '2', connection: 'close' }).end();
      return false;
    }
    this.#waiting.set(socket, waiting);
    this.#inAll++;
    out.once('close', () => {
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1);
      this.#inAll--;
    });
    return true;
  }
}
