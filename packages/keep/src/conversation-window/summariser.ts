import type { ReportBoard } from '../report-board.ts';
import type { WindowEvents } from './events.ts';
import type { WindowSettings } from './settings.ts';
import type { Unit } from './unit-list.ts';

/** What a summary came to, and the messages it was made of. */
type Done<M> = (text: string | undefined, messages: readonly M[]) => void;

/** Runs one summary at a time in the background; a summariser that throws, hangs or gives nonsense is reported, not believed. */
export class Summariser<M> {
  /** Bytes of messages that left the window and that only the running summary holds. */
  heldBytes = 0;
  readonly #settings: WindowSettings<M>;
  readonly #board: ReportBoard<WindowEvents>;
  #running: Promise<void> | undefined;
  #controller: AbortController | undefined;
  /** Units that the running summary works on. */
  #given: ReadonlySet<Unit<M>> | undefined;
  /** Bytes of a window below which none is tried after one failed. */
  #retryAbove = 0;

  constructor(settings: WindowSettings<M>, board: ReportBoard<WindowEvents>) {
    this.#settings = settings;
    this.#board = board;
  }

  /** True when a summary may be made of a window of this size. */
  isReady(bytes: number): boolean {
    return this.#running === undefined && bytes >= this.#retryAbove;
  }

  /** The last summary did not help. None is tried before the window holds this much. */
  putOff(above: number): void {
    this.#retryAbove = above;
  }

  /** A unit left the window; what works on it holds it on. */
  left(unit: Unit<M>): void {
    if (this.#given?.has(unit) === true) this.heldBytes += unit.bytes;
  }

  /** Resolves when no summary is being made. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  start(previous: string | undefined, units: readonly Unit<M>[], done: Done<M>): void {
    const controller = new AbortController();
    this.#controller = controller;
    this.#given = new Set(units);
    this.#retryAbove = 0;
    const messages = units.flatMap((unit) => unit.messages);
    this.#running = this.#run(previous, messages, controller, done);
  }

  stop(): void {
    this.#controller?.abort(new Error('the window was closed'));
  }

  async #run(
    previous: string | undefined,
    messages: readonly M[],
    controller: AbortController,
    done: Done<M>,
  ): Promise<void> {
    let text: string | undefined;
    try {
      text = await this.#make(previous, messages, controller);
    } catch (cause) {
      this.#board.emit('summary-failed', { messages: messages.length, cause });
    }
    this.#running = undefined;
    this.#controller = undefined;
    this.#given = undefined;
    this.heldBytes = 0;
    done(text, messages);
  }

  async #make(
    previous: string | undefined,
    messages: readonly M[],
    controller: AbortController,
  ): Promise<string> {
    const { summarise, summariseTimeout, clock } = this.#settings;
    const { signal } = controller;
    const cancel = clock.after(summariseTimeout, () =>
      controller.abort(new Error('the summary took too long')),
    );
    let forget = (): void => {};
    try {
      const aborted = new Promise<never>((_, reject) => {
        const stop = (): void => reject(signal.reason as Error);
        signal.addEventListener('abort', stop, { once: true });
        forget = () => signal.removeEventListener('abort', stop);
      });
      // The summariser starts in a turn of its own, never inside the append that caused it.
      const work = Promise.resolve().then(() =>
        (summarise as NonNullable<typeof summarise>)({ previous, messages, signal }),
      );
      const text: unknown = await Promise.race([work, aborted]);
      if (typeof text !== 'string' || text === '')
        throw new TypeError(`the summary is ${text === '' ? 'empty' : typeof text}`);
      return text;
    } finally {
      cancel();
      forget();
    }
  }
}
