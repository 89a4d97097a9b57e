export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';

/** How a window reads the messages of a framework. */
export interface MessageShape<M> {
  role(message: M): MessageRole;
  /** Ids of the tool calls that a message makes and does not answer itself; undefined when it makes none. */
  calls(message: M): readonly string[] | undefined;
  /** Ids of the tool calls of earlier messages that a message answers. */
  answers(message: M): readonly string[] | undefined;
  /** A message that carries the summary of what left the window. */
  summary(text: string): M;
}

type Fields = Record<string, unknown>;

const roles: Readonly<Record<string, MessageRole>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  tool: 'tool',
  function: 'tool',
};

const none: readonly string[] = [];

/**
 * Reads messages of OpenAI (chat and responses), AI SDK (model and UI messages), LangChain and Mastra by their structure, without any of
 * the packages. A message it does not know counts as one of the assistant without tools.
 */
export const anyMessage: MessageShape<unknown> = {
  role(message) {
    const fields = message as Fields;
    const role = roles[fields['role'] as string];
    if (role !== undefined) return role;
    if (fields['type'] === 'function_call_output') return 'tool';
    return roles[langchainType(fields) as string] ?? 'assistant';
  },
  calls(message) {
    const fields = message as Fields;
    const calls = fields['tool_calls'];
    if (Array.isArray(calls)) return calls.length === 0 ? undefined : idsOf(calls, 'id');
    const { content } = fields;
    if (typeof content === 'string') return undefined;
    if (fields['type'] === 'function_call') return [String(fields['call_id'])];
    return unanswered(partsOf(fields));
  },
  answers(message) {
    const fields = message as Fields;
    const id =
      fields['tool_call_id'] ?? (fields['type'] === 'function_call_output' ? fields['call_id'] : undefined);
    if (typeof id === 'string') return [id];
    if (typeof fields['content'] === 'string') return undefined;
    const parts = partsOf(fields);
    const own = new Set(
      parts.filter((part) => part['type'] === 'tool-call').map((part) => part['toolCallId']),
    );
    const answered = parts.filter((part) => part['type'] === 'tool-result' && !own.has(part['toolCallId']));
    return answered.length === 0 ? undefined : idsOf(answered, 'toolCallId');
  },
  summary: (text) => ({ role: 'system', content: text }),
};

/** LangChain messages name their kind by a method; plain copies of them by a field. */
function langchainType(fields: Fields): unknown {
  for (const method of ['getType', '_getType']) {
    if (typeof fields[method] === 'function') return (fields[method] as () => unknown).call(fields);
  }
  return fields['type'];
}

/** Parts of an AI SDK or Mastra message. */
function partsOf(fields: Fields): readonly Fields[] {
  const { content } = fields;
  const parts =
    fields['parts'] ?? (Array.isArray(content) ? content : (content as Fields | null | undefined)?.['parts']);
  return Array.isArray(parts)
    ? (parts as Fields[]).filter((part) => typeof part === 'object' && part !== null)
    : [];
}

/** Tool calls among the parts of a message without an answer in the same message. */
function unanswered(parts: readonly Fields[]): readonly string[] | undefined {
  let open: Set<string> | undefined;
  for (const part of parts) {
    const type = part['type'];
    if (typeof type !== 'string' || !type.includes('tool')) continue;
    if (type === 'tool-call') (open ??= new Set()).add(String(part['toolCallId']));
    else if (type === 'tool-result') open?.delete(String(part['toolCallId']));
    else if (type === 'tool-invocation') {
      const call = part['toolInvocation'] as Fields | undefined;
      if (call?.['state'] === 'call' || call?.['state'] === 'partial-call')
        (open ??= new Set()).add(String(call['toolCallId']));
    } else if (String(part['state']).startsWith('input'))
      (open ??= new Set()).add(String(part['toolCallId']));
  }
  return open === undefined || open.size === 0 ? undefined : [...open];
}

function idsOf(items: readonly unknown[], field: string): readonly string[] {
  return items.length === 0 ? none : items.map((item) => String((item as Fields | null)?.[field]));
}
