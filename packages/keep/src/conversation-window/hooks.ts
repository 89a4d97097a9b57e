import type { ReportBoard } from '../report-board.ts';
import type { DropReason, WindowEvents } from './events.ts';
import type { MessageRole } from './message-shape.ts';
import type { WindowSettings } from './settings.ts';

/**
 * What the functions in a window's options say of messages. One that throws is reported, and the message counts as one of the assistant
 * without tools. The guard is written out where every message passes, because a closure would cost more than the reading.
 */
export class WindowHooks<M> {
  readonly #settings: WindowSettings<M>;
  readonly #board: ReportBoard<WindowEvents>;
  readonly #countsTokens: boolean;

  constructor(settings: WindowSettings<M>, board: ReportBoard<WindowEvents>) {
    this.#settings = settings;
    this.#board = board;
    this.#countsTokens = settings.maxTokens !== Number.POSITIVE_INFINITY;
  }

  role(message: M): MessageRole {
    try {
      return this.#settings.shape.role(message);
    } catch (cause) {
      this.#board.emit('hook-failed', { hook: 'shape.role', cause });
      return 'assistant';
    }
  }

  answers(message: M): readonly string[] | undefined {
    try {
      return this.#settings.shape.answers(message);
    } catch (cause) {
      this.#board.emit('hook-failed', { hook: 'shape.answers', cause });
      return undefined;
    }
  }

  calls(message: M): readonly string[] | undefined {
    try {
      return this.#settings.shape.calls(message);
    } catch (cause) {
      this.#board.emit('hook-failed', { hook: 'shape.calls', cause });
      return undefined;
    }
  }

  /** Tokens by estimate; 0 when no bound asks for them. */
  tokens(message: M): number {
    if (!this.#countsTokens) return 0;
    const tokens = this.#asked('tokens', () => this.#settings.tokens(message));
    return typeof tokens === 'number' && tokens >= 0 && tokens < Number.MAX_SAFE_INTEGER ? tokens : 0;
  }

  isPinned(message: M, role: MessageRole): boolean {
    const { pin } = this.#settings;
    return pin === undefined ? role === 'system' : this.#asked('pin', () => pin(message)) === true;
  }

  /** The message that carries a summary. */
  summary(text: string): M | undefined {
    return this.#asked('shape.summary', () => this.#settings.shape.summary(text));
  }

  /** Gives messages that leave to the archive, if there is one. */
  archive(messages: () => readonly M[], reason: DropReason): void {
    const { onDrop } = this.#settings;
    if (onDrop !== undefined) this.#asked('onDrop', () => onDrop(messages(), reason));
  }

  #asked<R>(hook: string, call: () => R): R | undefined {
    try {
      return call();
    } catch (cause) {
      this.#board.emit('hook-failed', { hook, cause });
      return undefined;
    }
  }
}
