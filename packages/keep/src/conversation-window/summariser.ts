import type { ReportBoard } from '../report-board.ts';
import type { WindowEvents } from './events.ts';
import type { WindowSettings } from './settings.ts';

/** Runs one summary at a time in the background; a summariser that throws, hangs or gives nonsense is reported, not believed. */
export class Summariser<M> {
  private readonly settings: WindowSettings<M>;
  private readonly board: ReportBoard<WindowEvents>;
  private running: Promise<void> | undefined;
  private controller: AbortController | undefined;

  constructor(settings: WindowSettings<M>, board: ReportBoard<WindowEvents>) {
    this.settings = settings;
    this.board = board;
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Resolves when no summary is being made. */
  async settled(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  start(
    previous: string | undefined,
    messages: readonly M[],
    done: (text: string | undefined) => void,
  ): void {
    const controller = new AbortController();
    this.controller = controller;
    this.running = this.run(previous, messages, controller, done);
  }

  stop(): void {
    this.controller?.abort(new Error('the window was closed'));
  }

  private async run(
    previous: string | undefined,
    messages: readonly M[],
    controller: AbortController,
    done: (text: string | undefined) => void,
  ): Promise<void> {
    let text: string | undefined;
    try {
      text = await this.make(previous, messages, controller);
    } catch (cause) {
      this.board.emit('summary-failed', { messages: messages.length, cause });
    }
    this.running = undefined;
    this.controller = undefined;
    done(text);
  }

  private async make(
    previous: string | undefined,
    messages: readonly M[],
    controller: AbortController,
  ): Promise<string> {
    const { summarise, summariseTimeout, clock } = this.settings;
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
