import { failure } from '@plimsoll/core/internal/errors';
import { measure } from '@plimsoll/core/meter';
import { parseByteSize } from '@plimsoll/core/units';

/** The bound of a part of a conversation: a number or a size such as "256KiB". */
export function boundOf(option: string, given: number | string, by: string): number {
  const bound = typeof given === 'number' ? given : parseByteSize(given);
  if (bound === undefined || !(bound >= 1))
    throw failure('PLM_ADAPTER_BAD_BOUND', { option, value: String(given), by });
  return bound;
}

/**
 * The system message at the beginning, and the newest messages that fit. They begin with a message of the user, or else with one of the
 * assistant, so that no tool result is sent without its call. The newest message is among them whatever its size.
 */
export function newestThatFit<M>(
  messages: readonly M[],
  bound: number,
  roleOf: (message: M) => unknown,
): readonly M[] {
  const first = messages[0];
  const head = first !== undefined && roleOf(first) === 'system' ? messages.slice(0, 1) : [];
  const rest = messages.slice(head.length);
  const from = beginningOf(rest, bound - bytesOf(head), roleOf);
  return from === 0 ? messages : [...head, ...rest.slice(from)];
}

const bytesOf = (messages: readonly unknown[]): number =>
  messages.reduce<number>((sum, message) => sum + measure(message).bytes, 0);

/** Index of the first message that is kept. */
function beginningOf<M>(messages: readonly M[], bound: number, roleOf: (message: M) => unknown): number {
  let fits = messages.length;
  for (let left = bound; fits > 0; fits -= 1) {
    left -= measure(messages[fits - 1]).bytes;
    if (left < 0) break;
  }
  const at = (role: string): number =>
    messages.findIndex((message, i) => i >= fits && roleOf(message) === role);
  const whole = [fits === 0 ? 0 : -1, at('user'), at('assistant')].find((index) => index >= 0);
  return whole ?? lastCall(messages, roleOf);
}

/** The newest message, with the call that it answers. */
function lastCall<M>(messages: readonly M[], roleOf: (message: M) => unknown): number {
  const last = Math.max(0, messages.length - 1);
  const newest = messages[last];
  if (newest === undefined || roleOf(newest) !== 'tool') return last;
  const call = messages.findLastIndex((message) => roleOf(message) === 'assistant');
  return call < 0 ? last : call;
}
