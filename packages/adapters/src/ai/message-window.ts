import { measure } from '@plimsoll/core/meter';
import { parseByteSize } from '@plimsoll/core/units';
import { failure } from '@plimsoll/core/internal/errors';

export interface MessageWindowOptions {
  /** Most bytes of the messages that a step sends: a number or a size such as "256KiB". */
  readonly maxBytes: number | string;
}

interface Message {
  readonly role: string;
}

/**
 * For `prepareStep` of the AI SDK: a step sends the first message when it is a system message, and the newest messages that fit. The window
 * begins with a message of the user, or else with one of the assistant, so that no tool result is sent without its call. The newest message
 * is sent whatever its size.
 *
 * ```ts
 * generateText({ model, messages, tools, prepareStep: messageWindow({ maxBytes: '256KiB' }) });
 * ```
 */
export function messageWindow({
  maxBytes,
}: MessageWindowOptions): <M extends Message>(step: {
  readonly messages: readonly M[];
}) => { messages: M[] } {
  const bound = typeof maxBytes === 'number' ? maxBytes : parseByteSize(maxBytes);
  if (bound === undefined || !(bound >= 1))
    throw failure('PLM_ADAPTER_BAD_BOUND', {
      option: 'maxBytes',
      value: String(maxBytes),
      by: 'messageWindow',
    });
  return <M extends Message>({ messages }: { readonly messages: readonly M[] }) => {
    const head = messages[0]?.role === 'system' ? messages.slice(0, 1) : [];
    const rest = messages.slice(head.length);
    return { messages: [...head, ...rest.slice(beginningOf(rest, bound - bytesOf(head)))] };
  };
}

const bytesOf = (messages: readonly unknown[]): number =>
  messages.reduce<number>((sum, message) => sum + measure(message).bytes, 0);

/** Index of the first message that is sent. */
function beginningOf(messages: readonly Message[], bound: number): number {
  let fits = messages.length;
  for (let left = bound; fits > 0; fits -= 1) {
    left -= measure(messages[fits - 1]).bytes;
    if (left < 0) break;
  }
  const at = (role: string): number => messages.findIndex((message, i) => i >= fits && message.role === role);
  const whole = [fits === 0 ? 0 : -1, at('user'), at('assistant')].find((index) => index >= 0);
  return whole ?? lastCall(messages);
}

/** The newest message, with the call that it answers. */
function lastCall(messages: readonly Message[]): number {
  const last = Math.max(0, messages.length - 1);
  if (messages[last]?.role !== 'tool') return last;
  const call = messages.findLastIndex(({ role }) => role === 'assistant');
  return call < 0 ? last : call;
}
