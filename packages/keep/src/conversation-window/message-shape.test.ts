import { expect, test } from 'vitest';
import { ConversationWindow } from './conversation-window.ts';
import { anyMessage } from './message-shape.ts';
import { messageTokens } from './settings.ts';

class AIMessage {
  readonly content = '';
  readonly tool_calls = [{ id: 'c1', name: 'search', args: {} }];
  getType(): string {
    return 'ai';
  }
}

class ToolMessage {
  readonly content = 'found';
  readonly tool_call_id = 'c1';
  _getType(): string {
    return 'tool';
  }
}

// Messages as the packages make them, recorded from ai 7, @langchain/core 1.2, @mastra/core 1.71 and the OpenAI API.
test.each<[string, unknown, string, readonly string[] | undefined, readonly string[] | undefined]>([
  ['OpenAI system', { role: 'developer', content: 'x' }, 'system', undefined, undefined],
  [
    'OpenAI call',
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    'assistant',
    ['c1'],
    undefined,
  ],
  ['OpenAI no calls', { role: 'assistant', content: 'x', tool_calls: [] }, 'assistant', undefined, undefined],
  ['OpenAI result', { role: 'tool', tool_call_id: 'c1', content: 'x' }, 'tool', undefined, ['c1']],
  [
    'OpenAI responses call',
    { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
    'assistant',
    ['c1'],
    undefined,
  ],
  [
    'OpenAI responses result',
    { type: 'function_call_output', call_id: 'c1', output: 'x' },
    'tool',
    undefined,
    ['c1'],
  ],
  ['AI SDK text', { role: 'user', content: [{ type: 'text', text: 'x' }] }, 'user', undefined, undefined],
  [
    'AI SDK call',
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'x' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'f', input: {} },
      ],
    },
    'assistant',
    ['c1'],
    undefined,
  ],
  [
    'AI SDK call of the provider',
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'c1' },
        { type: 'tool-result', toolCallId: 'c1' },
      ],
    },
    'assistant',
    undefined,
    undefined,
  ],
  [
    'AI SDK results',
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'c1' },
        { type: 'tool-result', toolCallId: 'c2' },
      ],
    },
    'tool',
    undefined,
    ['c1', 'c2'],
  ],
  [
    'AI SDK UI message, answered',
    {
      id: 'm',
      role: 'assistant',
      parts: [{ type: 'tool-search', toolCallId: 'c1', state: 'output-available' }],
    },
    'assistant',
    undefined,
    undefined,
  ],
  [
    'AI SDK UI message, open',
    {
      id: 'm',
      role: 'assistant',
      parts: [{ type: 'tool-search', toolCallId: 'c1', state: 'input-available' }],
    },
    'assistant',
    ['c1'],
    undefined,
  ],
  ['LangChain call', new AIMessage(), 'assistant', ['c1'], undefined],
  ['LangChain result', new ToolMessage(), 'tool', undefined, ['c1']],
  ['LangChain as data', { type: 'human', content: 'x' }, 'user', undefined, undefined],
  [
    'Mastra answered',
    {
      id: 'm',
      role: 'assistant',
      content: {
        format: 2,
        parts: [{ type: 'tool-invocation', toolInvocation: { toolCallId: 'c1', state: 'result' } }],
      },
    },
    'assistant',
    undefined,
    undefined,
  ],
  [
    'Mastra open',
    {
      id: 'm',
      role: 'assistant',
      content: {
        format: 2,
        parts: [{ type: 'tool-invocation', toolInvocation: { toolCallId: 'c1', state: 'call' } }],
      },
    },
    'assistant',
    ['c1'],
    undefined,
  ],
  ['unknown', { text: 'x', parts: [null, 7] }, 'assistant', undefined, undefined],
])('%s', (_, message, role, calls, answers) => {
  expect([anyMessage.role(message), anyMessage.calls(message), anyMessage.answers(message)]).toEqual([
    role,
    calls,
    answers,
  ]);
});

test('a provider-executed call is one message and stays whole', () => {
  const window = new ConversationWindow<object>({ maxBytes: '1MB' });
  window.append({ role: 'user', content: 'x' });
  window.append({
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId: 'c1' },
      { type: 'tool-result', toolCallId: 'c1' },
    ],
  });
  expect(window.messages()).toHaveLength(2);
});

test('the text of every shape is counted, binary data is not', () => {
  const text = 'a question about the weather';
  const plain = messageTokens({ role: 'user', content: text });
  const parts = messageTokens({ role: 'user', content: [{ type: 'text', text }] });
  expect(parts).toBeGreaterThanOrEqual(plain);
  expect(parts).toBeLessThan(plain + 10);
  expect(
    messageTokens({ role: 'user', content: [{ type: 'file', data: new Uint8Array(1e6) }] }),
  ).toBeLessThan(20);
  expect(messageTokens({ role: 'user', content: [[[[[[[[[['deep']]]]]]]]]] })).toBeLessThan(30);
  expect(messageTokens(null)).toBe(4);
});
