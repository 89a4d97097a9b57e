import type { Scope } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { badOption, bytesOption, countOption, msOption } from '../bound.ts';
import { systemClock } from '../clock.ts';
import type { KeeperClock } from '../clock.ts';
import type { DropReason } from './events.ts';
import { anyMessage } from './message-shape.ts';
import type { MessageShape } from './message-shape.ts';
import { messageTokens } from './message-text.ts';

/** What the summariser is given. */
export interface SummaryRequest<M> {
  /** The summary so far. */
  readonly previous: string | undefined;
  /** The oldest messages, whole turns and whole tool exchanges. */
  readonly messages: readonly M[];
  /** Aborted when the summary is not wanted any more or takes too long. */
  readonly signal: AbortSignal;
}

export interface ConversationWindowOptions<M> {
  /** Name in reports, default "conversation". */
  readonly name?: string;
  /** Most bytes to hold: a number or a size such as "2MiB". Required. */
  readonly maxBytes?: number | string;
  /** Most tokens, by estimate. */
  readonly maxTokens?: number;
  /** Most turns; a turn begins with a message of the user. */
  readonly maxTurns?: number;
  /** Part of the bounds that is left after a summary, 0.1 to 0.9, default 0.5. */
  readonly lowWater?: number;
  /** Messages that never leave; default those of the system. Half of each bound at most can be pinned. */
  readonly pin?: (message: M) => boolean;
  /** Makes a summary of the oldest messages in the background, from 0.8 of a bound on. */
  readonly summarise?: (request: SummaryRequest<M>) => Promise<string> | string;
  /** Time for one summary, default 60 s. */
  readonly summariseTimeout?: number | string;
  /** Gets the messages that leave the window, for an archive. */
  readonly onDrop?: (messages: readonly M[], reason: DropReason) => void;
  /** How messages are read; default those of OpenAI, AI SDK, LangChain and Mastra, by structure. */
  readonly shape?: MessageShape<M>;
  /** Tokens of a message; default by fit. */
  readonly tokens?: (message: M) => number;
  /** The scope that is charged, default the current one. */
  readonly scope?: Scope;
  /** Time source, default the system's. */
  readonly clock?: KeeperClock;
}

/** Options with units resolved and defaults in place. */
export interface WindowSettings<M> {
  readonly name: string;
  readonly maxBytes: number;
  readonly maxTokens: number;
  readonly maxTurns: number;
  readonly lowWater: number;
  readonly pin: ((message: M) => boolean) | undefined;
  readonly summarise: ((request: SummaryRequest<M>) => Promise<string> | string) | undefined;
  readonly summariseTimeout: number;
  readonly onDrop: ((messages: readonly M[], reason: DropReason) => void) | undefined;
  readonly shape: MessageShape<M>;
  readonly tokens: (message: M) => number;
  readonly clock: KeeperClock;
}

const keeper = 'ConversationWindow';
const never = Number.POSITIVE_INFINITY;

/** Reads the options of a window; throws the coded error of the first that cannot be meant. */
export function readWindowSettings<M>(options: ConversationWindowOptions<M>): WindowSettings<M> {
  const maxBytes = bytesOption(keeper, 'maxBytes', options?.maxBytes);
  const maxTokens = countOption(keeper, 'maxTokens', options?.maxTokens);
  const maxTurns = countOption(keeper, 'maxTurns', options?.maxTurns);
  // Turns and tokens say nothing of the size of a turn or of an image: only bytes bound the memory.
  if (maxBytes === undefined) throw failure('PLM_KEEP_UNBOUNDED', { keeper, options: ['maxBytes'] });
  const lowWater = options.lowWater ?? 0.5;
  if (!(lowWater >= 0.1 && lowWater <= 0.9))
    throw badOption(keeper, 'lowWater', lowWater, 'a ratio from 0.1 to 0.9');
  for (const hook of ['pin', 'summarise', 'onDrop', 'tokens'] as const) {
    const value: unknown = options[hook];
    if (value !== undefined && typeof value !== 'function')
      throw badOption(keeper, hook, typeof value, 'a function');
  }
  return {
    name: options.name ?? 'conversation',
    maxBytes,
    maxTokens: maxTokens ?? never,
    maxTurns: maxTurns ?? never,
    lowWater,
    pin: options.pin,
    summarise: options.summarise,
    summariseTimeout: msOption(keeper, 'summariseTimeout', options.summariseTimeout) ?? 60_000,
    onDrop: options.onDrop,
    shape: options.shape ?? (anyMessage as MessageShape<M>),
    tokens: options.tokens ?? messageTokens,
    clock: options.clock ?? systemClock,
  };
}
