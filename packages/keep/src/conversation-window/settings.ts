import type { Scope } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { badOption, bytesOption, countOption, msOption } from '../bound.ts';
import { systemClock } from '../clock.ts';
import type { KeeperClock } from '../clock.ts';
import type { DropReason } from './events.ts';
import { anyMessage } from './message-shape.ts';
import type { MessageShape } from './message-shape.ts';
import { fitTokens } from './token-fit.ts';

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
  // Turns and tokens say nothing of the size of a turn or of an image. Only bytes bound the memory.
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

/** Tokens that a provider adds around a message. */
const perMessage = 4;
/** Depth and number of strings after which a message is not looked into any further. */
const mostDepth = 8;
const mostStrings = 10_000;

/** Estimated tokens of a message: of every text in it, whatever the framework calls the field, and of its numbers. */
export function messageTokens(message: unknown): number {
  const content = (message as { content?: unknown } | null)?.content;
  const isPlain =
    typeof content === 'string' && (message as { tool_calls?: unknown }).tool_calls === undefined;
  if (isPlain) return perMessage + fitTokens(content);
  const budget = { strings: mostStrings };
  return perMessage + valueTokens(message, 0, budget);
}

function valueTokens(value: unknown, depth: number, budget: { strings: number }): number {
  if (typeof value === 'string') return budget.strings-- > 0 ? fitTokens(value) : 0;
  if (typeof value === 'number' || typeof value === 'boolean') return 1.5;
  if (typeof value !== 'object' || value === null || depth >= mostDepth) return 0;
  // Binary parts are priced by the provider in its own way; calibration takes them in.
  if (ArrayBuffer.isView(value)) return 0;
  let tokens = 0;
  if (Array.isArray(value)) for (const item of value) tokens += 1 + valueTokens(item, depth + 1, budget);
  else
    for (const key of Object.keys(value)) {
      const item = (value as Record<string, unknown>)[key];
      // Names of fields are part of tool calls and results, which providers see as JSON.
      tokens += (depth > 1 ? 2 : 0) + valueTokens(item, depth + 1, budget);
    }
  return tokens;
}
