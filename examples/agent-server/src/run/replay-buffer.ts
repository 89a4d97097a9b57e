/** The events of a run that has ended, as they are parked. */
export interface SavedReplay {
  readonly first: number;
  readonly frames: readonly string[];
}

/**
 * The events of one run as server-sent events, kept so that late and returning readers get all of them. A reader has a position and no
 * queue, so a slow one costs nothing.
 */
export class ReplayBuffer {
  // Private to the compiler only: the census counts a session by walking its state, and cannot see #fields.
  private readonly maxBytes: number;
  private readonly resized: (bytes: number) => void;
  private readonly waiting = new Set<() => void>();
  private readonly frames: string[] = [];
  private first = 1;
  private held = 0;
  private over = false;

  /** `resized` is called with every change of size in bytes, negative when events are dropped. */
  constructor(maxBytes: number, resized: (bytes: number) => void) {
    this.maxBytes = maxBytes;
    this.resized = resized;
  }

  get bytes(): number {
    return this.held;
  }

  /** The data from which `restore` makes an ended buffer again. */
  save(): SavedReplay {
    return { first: this.first, frames: [...this.frames] };
  }

  /** Loads saved data. No more events will come. */
  restore({ first, frames }: SavedReplay): void {
    this.first = first;
    this.frames.push(...frames);
    this.resize(frames.reduce((sum, frame) => sum + frame.length, 0));
    this.end();
  }

  append(event: string, data: unknown): void {
    if (this.over) return;
    const id = this.first + this.frames.length;
    // Joined, not a template: V8 would keep the template's parts as a rope for as long as the frame lives.
    const frame = ['id: ', id, '\nevent: ', event, '\ndata: ', JSON.stringify(data), '\n\n'].join('');
    this.frames.push(frame);
    let change = frame.length;
    while (this.held + change > this.maxBytes && this.frames.length > 1) {
      change -= (this.frames.shift() as string).length;
      this.first += 1;
    }
    this.resize(change);
    this.wake();
  }

  /** Marks the end. Readers finish the existing events. */
  end(): void {
    this.over = true;
    this.wake();
  }

  /** Ends reading for new readers. The bytes are credited, and the events are dropped after the last current reader. */
  release(): void {
    this.resize(-this.held);
    this.end();
  }

  /** All events after the one with id `after`, until the end or the abort. */
  async *read(after: number, signal: AbortSignal): AsyncGenerator<string> {
    let last = after;
    let goOn = (): void => {};
    const wake = (): void => goOn();
    this.waiting.add(wake);
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted) {
        const end = this.first + this.frames.length - 1;
        if (last < end) {
          const frames = this.frames.slice(Math.max(0, last + 1 - this.first));
          last = end;
          yield frames.join('');
        } else if (this.over) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            goOn = resolve;
          });
        }
      }
    } finally {
      this.waiting.delete(wake);
      signal.removeEventListener('abort', wake);
    }
  }

  private wake(): void {
    for (const wake of this.waiting) wake();
  }

  private resize(change: number): void {
    this.held += change;
    this.resized(change);
  }
}
