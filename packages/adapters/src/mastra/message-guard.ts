import { currentScope } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { warnOnce } from '@plimsoll/core/internal/errors';
import { agentAround, holdsNow } from '../held-object.ts';
import type { MethodPatches } from '../method-patches.ts';
import { prototypeOf } from '../method-patches.ts';

/** A conversation of Mastra. */
interface MessageList {
  readonly messages?: readonly unknown[];
  readonly systemMessages?: unknown;
  readonly stateManager?: unknown;
}

type Add = (this: MessageList, messages: unknown, ...rest: unknown[]) => unknown;

/** The conversation that each agent was last seen with. Shorter ones are made of it for a moment, to convert messages. */
const lists = new WeakMap<Scope, MessageList>();

/** An agent holds its conversation: what it was asked, and the answers and tool results since. */
function noteList(list: MessageList): void {
  const agent = agentAround(currentScope());
  if (agent === undefined) return;
  const known = lists.get(agent);
  if (known !== undefined && known !== list && lengthOf(known) > lengthOf(list)) return;
  lists.set(agent, list);
  const { messages, systemMessages, stateManager } = list;
  holdsNow(agent, { messages, systemMessages, stateManager });
}

function lengthOf({ messages }: MessageList): number {
  return messages?.length ?? 0;
}

/**
 * Leaves out what is no message when a conversation is loaded. Memory that was stored as something else (a number, a boolean) made
 * `MessageList.add` throw for every later call of the thread.
 */
export function guardMessages(patches: MethodPatches, given: unknown): void {
  patches.replace<Add>(
    prototypeOf(given),
    'add',
    (original) =>
      function (messages, ...rest) {
        const result = original.call(this, withoutOthers(messages), ...rest);
        noteList(this);
        return result;
      },
  );
}

function withoutOthers(messages: unknown): unknown {
  if (!Array.isArray(messages)) {
    if (!isOther(messages)) return messages;
    tell(messages);
    return undefined;
  }
  const other: unknown = messages.find(isOther);
  if (other === undefined) return messages;
  tell(other);
  return messages.filter((message) => !isOther(message));
}

/** A number or boolean, as a message or as its content: `MessageList.add` asks both for a property by `in`, which throws. */
function isOther(message: unknown): boolean {
  return isScalar(message) || isScalar(contentOf(message));
}

function isScalar(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint';
}

function contentOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null
    ? (message as { content?: unknown }).content
    : undefined;
}

function tell(other: unknown): void {
  warnOnce('PLM_ADAPTER_BAD_MESSAGE', { type: typeof (contentOf(other) ?? other) });
}
