/** What reading from a replay buffer gives: frames ready to be written, and where to go on. */
export interface Frames {
  readonly text: string;
  /** Id of the last event in `text`. */
  readonly last: number;
}

/**
 * The events of one run as server-sent events, kept so that a reader who comes late or comes back sees all of it.
 * Readers hold a position, not a queue: a slow one costs nothing.
 */
export class ReplayBuffer {
  readonly #maxBytes: number;
  readonly #resized: (bytes: number) => void;
  readonly #waiting = new Set<() => void>();
  #frames: string[] = [];
  #first = 1;
  #bytes = 0;
  #ended = false;

  /** `resized` hears every change of size in bytes, negative when events are let go. */
  constructor(maxBytes: number, resized: (bytes: number) => void) {
    this.#maxBytes = maxBytes;
    this.#resized = resized;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get ended(): boolean {
    return this.#ended;
  }

  append(event: string, data: unknown): void {
    if (this.#ended) return;
    const id = this.#first + this.#frames.length;
    const frame = `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    this.#frames.push(frame);
    let change = frame.length;
    while (this.#bytes + change > this.#maxBytes && this.#frames.length > 1) {
      change -= (this.#frames.shift() as string).length;
      this.#first += 1;
    }
    this.#resize(change);
    this.#wake();
  }

  /** No more events will come; readers finish what is there. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Nobody new will read: the bytes are given back, and the events go with the last reader who is still at it. */
  release(): void {
    this.#resize(-this.#bytes);
    this.end();
  }

  /** Everything after the event with id `after`, as it comes, until the end or the abort. */
  async *read(after: number, signal: AbortSignal): AsyncGenerator<Frames> {
    let last = after;
    while (!signal.aborted) {
      const end = this.#first + this.#frames.length - 1;
      if (last < end) {
        const text = this.#frames.slice(Math.max(0, last + 1 - this.#first)).join('');
        last = end;
        yield { text, last };
      } else if (this.#ended) {
        return;
      } else {
        await this.#change(signal);
      }
    }
  }

  #change(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    signal.addEventListener('abort', resolve as () => void, { once: true });
    return promise.finally(() => {
      this.#waiting.delete(resolve);
      signal.removeEventListener('abort', resolve as () => void);
    });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  #resize(change: number): void {
    this.#bytes += change;
    this.#resized(change);
  }
}
