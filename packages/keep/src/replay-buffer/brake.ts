import type { ReplayReader } from './reader.ts';

/** The wait of a producer for the readers with the lag policy "block"; it exists as long as the wait does. */
export class Brake {
  readonly sinceMs: number;
  /** Index that blocking readers have to reach before the producer goes on. */
  until: number;
  #waiting: (() => void)[] = [];

  constructor(sinceMs: number, until: number) {
    this.sinceMs = sinceMs;
    this.until = until;
  }

  /** Resolves when the producer may go on. */
  released(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }
}

/** The readers that a producer waits for. */
export function* blockersOf<T>(readers: Iterable<ReplayReader<T>>): Iterable<ReplayReader<T>> {
  for (const reader of readers) if (reader.lag === 'block' && reader.fault === undefined) yield reader;
}
