import { boundOf, newestThatFit } from '../newest-messages.ts';

export interface MessageWindowOptions {
  /** Most bytes of the messages that a step sends: a number or a size such as "256KiB". */
  readonly maxBytes: number | string;
}

type StepWindow = <M extends { role: string }>(step: {
  readonly messages: readonly M[];
}) => { messages: M[] };

/**
 * For `prepareStep` of the AI SDK: a step sends the first message when it is a system message, and the newest messages that fit. The window
 * begins with a message of the user, or else with one of the assistant, so that no tool result is sent without its call. The newest message
 * is sent whatever its size.
 *
 * ```ts
 * generateText({ model, messages, tools, prepareStep: messageWindow({ maxBytes: '256KiB' }) });
 * ```
 */
export function messageWindow(options: MessageWindowOptions): StepWindow {
  const bound = boundOf('maxBytes', options.maxBytes, 'messageWindow');
  return ({ messages }) => ({ messages: [...newestThatFit(messages, bound, ({ role }) => role)] });
}
