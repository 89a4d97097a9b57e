import type { MessageWindowOptions } from '../ai/message-window.ts';
import { measure } from '@plimsoll/core/meter';
import { formatByteSize } from '@plimsoll/core/units';
import { boundOf, newestThatFit } from '../newest-messages.ts';

export interface MessageProcessorOptions extends MessageWindowOptions {
  /** Most bytes of one result of a tool; what is above it is cut off as text. Default: no bound. */
  readonly maxResultBytes?: number | string;
}

interface ToolResult {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
  readonly result: unknown;
  readonly messageList: { updateToolInvocation(part: never): unknown };
}

type NewestMessages = <M extends { role: string }>(step: { messages: M[] }) => M[];
type CutResult = (result: ToolResult) => void;

interface MessageProcessor {
  id: 'plimsoll';
  processInputStep: NewestMessages;
  processToolResult: CutResult;
}

/**
 * A processor of Mastra that bounds what an agent keeps of its conversation while it runs: the newest messages that fit, beginning with one
 * of the user, and results of tools up to a size. What the memory of the agent has stored stays there.
 *
 * ```ts
 * const processor = messageProcessor({ maxBytes: '256KiB', maxResultBytes: '32KiB' });
 * new Agent({ inputProcessors: [processor], outputProcessors: [processor], ...rest });
 * ```
 */
export function messageProcessor({ maxBytes, maxResultBytes }: MessageProcessorOptions): MessageProcessor {
  const bound = boundOf('maxBytes', maxBytes, 'messageProcessor');
  const most =
    maxResultBytes === undefined ? Infinity : boundOf('maxResultBytes', maxResultBytes, 'messageProcessor');
  return {
    id: 'plimsoll',
    processInputStep: ({ messages }) => [...newestThatFit(messages, bound, ({ role }) => role)],
    processToolResult({ toolCallId, toolName, args, result, messageList }) {
      const { bytes } = measure(result);
      if (bytes <= most) return;
      const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? '');
      const cut = `${text.slice(0, most)}\n(cut from ${formatByteSize(bytes)})`;
      const toolInvocation = { state: 'result', toolCallId, toolName, args, result: cut };
      messageList.updateToolInvocation({ type: 'tool-invocation', toolInvocation } as never);
    },
  };
}
