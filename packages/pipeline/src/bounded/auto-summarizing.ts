import { ConversationWindow } from '@plimsoll/keep';
import type { ConversationWindowOptions } from '@plimsoll/keep';

export interface AutoSummarizingOptions<M> extends ConversationWindowOptions<M> {
  /** Answers the last message of the window. */
  readonly reply: (messages: readonly M[], signal: AbortSignal) => M | Promise<M>;
}

/** The result of one turn of a conversation. */
export interface ConversationTurn<M> {
  readonly reply: M;
  /** Messages and bytes in the window after the turn. */
  readonly messages: number;
  readonly bytes: number;
  /** Summaries made so far. */
  readonly summaries: number;
}

/** A conversation stage: call it with a message, get the reply. Dispose of it when the conversation ends. */
export interface ConversationStage<M extends object> extends Disposable {
  (message: M, signal?: AbortSignal): Promise<ConversationTurn<M>>;
  readonly window: ConversationWindow<M>;
}

/**
 * A conversation stage whose history is bounded: above 0.8 of a bound, `summarise` summarises the oldest turns in the background. Turns
 * that do not fit are dropped. The options are those of ConversationWindow and `reply`.
 */
export function autoSummarizing<M extends object>({
  reply,
  ...options
}: AutoSummarizingOptions<M>): ConversationStage<M> {
  const window = new ConversationWindow<M>(options);
  const never = new AbortController().signal;
  const turn = async (message: M, signal: AbortSignal = never): Promise<ConversationTurn<M>> => {
    signal.throwIfAborted();
    window.append(message);
    const answer = await reply(window.messages(), signal);
    window.append(answer);
    const { messages, bytes, summaries } = window.stats();
    return { reply: answer, messages, bytes, summaries };
  };
  return Object.assign(turn, { window, [Symbol.dispose]: () => window[Symbol.dispose]() });
}
