import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface WorkBoundOptions {
  /** Most requests of one connection that wait for their answer. One more ends the connection. Browsers send one at a time. Default 8. */
  readonly mostPerConnection?: number;
  /** Most requests in all that wait for their answer, or whose answer is not read yet. One more is refused. Default 128. */
  readonly mostInAll?: number;
  /** Most connections without a token. One more ends the oldest of them. Default 128. */
  readonly mostStrangers?: number;
}

/**
 * Bounds what clients can make the server do at once. A connection that sends requests faster than they are answered is ended: a client
 * that pipelined 60,000 of them took 4 GB. A client that opens too many connections ends its own ones, because connections with a token
 * stay.
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

  /** Marks a connection that has shown a valid token. */
  isKnown(socket: Socket): void {
    this.#strangers.delete(socket);
  }

  /** True when a request may be handled. Otherwise it was answered or its connection was ended. */
  admit({ socket }: IncomingMessage, out: ServerResponse): boolean {
    // The parser continues with data that it read before its connection was ended.
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
