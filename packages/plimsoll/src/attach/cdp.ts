import { failure } from '@plimsoll/core/internal/errors';

/** A session of the Chrome DevTools Protocol over the built-in WebSocket. */
export class Cdp {
  readonly #socket: WebSocket;
  readonly #address: string;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #listeners = new Map<string, (params: never) => void>();
  #next = 1;
  #isClosed = false;

  private constructor(socket: WebSocket, address: string) {
    this.#socket = socket;
    this.#address = address;
    socket.addEventListener('message', ({ data }) => this.#take(String(data)));
    socket.addEventListener('close', () => this.#lost());
  }

  static connect(url: string): Promise<Cdp> {
    const socket = new WebSocket(url);
    return new Promise((resolve, reject) => {
      socket.addEventListener('open', () => resolve(new Cdp(socket, url)), { once: true });
      socket.addEventListener('error', () => reject(failure('PLM_ATTACH_LOST', { address: url })), {
        once: true,
      });
    });
  }

  send<Result>(method: string, params: object = {}): Promise<Result> {
    if (this.#isClosed) return Promise.reject(failure('PLM_ATTACH_LOST', { address: this.#address }));
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** Sets the one listener of an event, for data that a profiler sends in pieces. */
  on(event: string, listener: (params: never) => void): void {
    this.#listeners.set(event, listener);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await new Promise<void>((resolve) => {
      this.#socket.addEventListener('close', () => resolve(), { once: true });
      this.#socket.close();
      setTimeout(resolve, 1000).unref();
    });
    this.#lost();
  }

  #take(data: string): void {
    const message = JSON.parse(data) as {
      id?: number;
      method?: string;
      params?: never;
      result?: unknown;
      error?: { message: string };
    };
    if (message.id === undefined) {
      this.#listeners.get(message.method ?? '')?.(message.params as never);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) waiting?.resolve(message.result);
    else waiting?.reject(new Error(message.error.message));
  }

  #lost(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting.values())
      waiting.reject(failure('PLM_ATTACH_LOST', { address: this.#address }));
    this.#waiting.clear();
  }
}
