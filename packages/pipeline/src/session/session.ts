import { createHmac, randomBytes } from 'node:crypto';
import { open } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { ConversationWindow } from '@plimsoll/keep';
import type { ConversationWindowOptions } from '@plimsoll/keep';
import { badOption } from '@plimsoll/keep/internal/bound';
import { forget } from './forget.ts';
import type { ForgetReport } from './forget.ts';
import { holdFor } from './subject-holders.ts';

/** Bounds for a kind of session. */
interface Preset {
  readonly maxBytes: string;
  readonly maxTurns?: number;
  /** True when the person's data is cleared everywhere at the end of the session. */
  readonly forgetAtEnd: boolean;
}

/** Bounds by kind of session. A game holds 5 MiB over 1,000 turns. A health session leaves no data of the person. */
const presets = {
  game: { maxBytes: '5MiB', maxTurns: 1000, forgetAtEnd: false },
  health: { maxBytes: '5MiB', forgetAtEnd: true },
  finance: { maxBytes: '16MiB', forgetAtEnd: false },
  support: { maxBytes: '2MiB', maxTurns: 200, forgetAtEnd: false },
} as const satisfies Record<string, Preset>;

export interface SessionOptions<M> extends Partial<ConversationWindowOptions<M>> {
  /** Preset bounds: "game", "health", "finance" or "support" (default). Options given here replace its bounds. */
  readonly preset?: keyof typeof presets;
}

/** Key for pseudonyms: a person has the same scope name within one process, and the name does not identify the person. */
const key = randomBytes(16);

/** A long session in bounded memory. Its scope has a pseudonym, so ledger, page and log do not contain the subject. */
export class Session<M extends object> implements AsyncDisposable {
  readonly scope: Scope;
  readonly window: ConversationWindow<M>;
  readonly #subject: string;
  readonly #forgetAtEnd: boolean;
  readonly #release: () => void;
  #turns = 0;
  #closed: Promise<ForgetReport | null> | undefined;

  /** Sessions are made by `openSession`. */
  constructor(subject: string, { preset = 'support', ...options }: SessionOptions<M>) {
    const bounds: Preset | undefined = presets[preset];
    if (bounds === undefined)
      throw badOption('openSession', 'preset', preset, Object.keys(presets).join(', '));
    if (typeof subject !== 'string' || subject === '')
      throw failure('PLM_KEEP_BAD_KEY', {
        keeper: 'openSession',
        value: subject === '' ? 'an empty string' : typeof subject,
      });
    const { maxBytes, maxTurns, forgetAtEnd } = bounds;
    this.#subject = subject;
    this.#forgetAtEnd = forgetAtEnd;
    this.scope = open('session', pseudonym(subject));
    this.window = new ConversationWindow<M>({
      maxBytes,
      ...(maxTurns !== undefined && { maxTurns }),
      ...options,
      scope: this.scope,
    });
    this.#release = holdFor(subject, {
      label: `session, ${preset}`,
      forget: () => this.#clear(),
      samples: () => textsOf(this.window.messages()),
    });
  }

  get turns(): number {
    return this.#turns;
  }

  /** Bytes of the conversation. */
  get bytes(): number {
    return this.window.bytes;
  }

  /**
   * One turn: the message goes into the window, `reply` answers it inside the session's scope, and the answer goes into the window, too.
   */
  async turn(message: M, reply: (messages: readonly M[], signal: AbortSignal) => M | Promise<M>): Promise<M> {
    const { signal } = this.scope;
    signal.throwIfAborted();
    this.#turns++;
    this.window.append(message);
    const answer = await this.scope.run(() => reply(this.window.messages(), signal));
    if (!signal.aborted) this.window.append(answer);
    return answer;
  }

  /** Ends the session. With the preset "health" the person's data is cleared everywhere; the report lists what was cleared. */
  close(): Promise<ForgetReport | null> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<ForgetReport | null> {
    const report = this.#forgetAtEnd ? await forget(this.#subject) : null;
    this.#clear();
    return report;
  }

  #clear(): number {
    const { messages } = this.window.stats();
    this.#release();
    this.window.clear();
    this.window[Symbol.dispose]();
    this.scope[Symbol.dispose]();
    return messages;
  }
}

/** Opens a session of a person (or any other subject) with the bounds of a preset. */
export function openSession<M extends object>(subject: string, options: SessionOptions<M> = {}): Session<M> {
  return new Session(subject, options);
}

function pseudonym(subject: string): string {
  return `s-${createHmac('sha256', key).update(subject).digest('hex').slice(0, 12)}`;
}

/** Strings of plain data, at most 500, without running getters of classes. */
function* textsOf(values: readonly unknown[], left = { count: 500 }): Generator<string> {
  for (const value of values) {
    if (left.count-- <= 0) return;
    if (typeof value === 'string') yield value;
    else if (typeof value === 'object' && value !== null) yield* textsOf(Object.values(value), left);
  }
}
