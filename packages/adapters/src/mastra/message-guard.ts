import { warnOnce } from '@plimsoll/core/internal/errors';
import type { MethodPatches } from '../method-patches.ts';
import { prototypeOf } from '../method-patches.ts';

type Add = (this: unknown, messages: unknown, ...rest: unknown[]) => unknown;

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
        return original.call(this, withoutOthers(messages), ...rest);
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
