import type { MessageWindowOptions } from '../ai/message-window.ts';
import { boundOf, newestThatFit } from '../newest-messages.ts';

type InputFilter = <D extends { input: object[] }>(call: { modelData: D }) => D;

/**
 * For `callModelInputFilter` of OpenAI Agents: a model call is sent the newest items that fit, beginning with a message of the user, or else
 * with one of the assistant, so that no result of a tool is sent without its call.
 *
 * ```ts
 * const runner = new Runner({ callModelInputFilter: inputWindow({ maxBytes: '256KiB' }) });
 * ```
 */
export function inputWindow(options: MessageWindowOptions): InputFilter {
  const bound = boundOf('maxBytes', options.maxBytes, 'inputWindow');
  return ({ modelData }) => ({ ...modelData, input: [...newestThatFit(modelData.input, bound, roleOf)] });
}

/** Calls and thoughts of a model are items of their own, and so are results of tools. */
function roleOf({ role, type }: { readonly role?: unknown; readonly type?: unknown }): unknown {
  return (
    role ?? (String(type).endsWith('_result') || String(type).endsWith('_output') ? 'tool' : 'assistant')
  );
}
