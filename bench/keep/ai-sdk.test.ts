/** Keepers on what the AI SDK really makes, when it is installed with the rivals; otherwise on what it made when this was recorded. */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { anyMessage, ConversationWindow, replay } from '@plimsoll/keep';
import { expect, test } from 'vitest';

interface Recording {
  readonly chunks: AsyncIterable<{ readonly type: string }>;
  readonly messages: () => Promise<readonly object[]>;
}

const isInstalled = existsSync(fileURLToPath(new URL('../node_modules/ai/package.json', import.meta.url)));

const recorded = [
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'weather', input: { city: 'Oslo' } }],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'call-1',
        toolName: 'weather',
        output: { type: 'text', value: 'rain in Oslo' },
      },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'It rains in Oslo.' }] },
];

async function* recordedChunks(): AsyncIterable<{
  readonly type: string;
  readonly id?: string;
  readonly text?: string;
}> {
  yield { type: 'start' };
  for (const text of ['It ', 'rains ', 'in ', 'Oslo.']) yield { type: 'text-delta', id: '0', text };
  yield { type: 'finish' };
}

async function real(): Promise<Recording> {
  const { isStepCount, jsonSchema, streamText, tool } = await import('ai');
  const { MockLanguageModelV4, simulateReadableStream } = await import('ai/test');
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  };
  const finish = (unified: 'stop' | 'tool-calls') =>
    ({ type: 'finish', finishReason: { unified, raw: unified }, usage }) as const;
  let step = 0;
  const model = new MockLanguageModelV4({
    doStream: async () => ({
      stream: simulateReadableStream<LanguageModelV4StreamPart>({
        initialDelayInMs: null,
        chunkDelayInMs: null,
        chunks:
          step++ === 0
            ? [
                { type: 'stream-start', warnings: [] },
                { type: 'tool-call', toolCallId: 'call-1', toolName: 'weather', input: '{"city":"Oslo"}' },
                finish('tool-calls'),
              ]
            : [
                { type: 'stream-start', warnings: [] },
                { type: 'text-start', id: '0' },
                ...['It ', 'rains ', 'in ', 'Oslo.'].map(
                  (delta) => ({ type: 'text-delta', id: '0', delta }) as const,
                ),
                { type: 'text-end', id: '0' },
                finish('stop'),
              ],
      }),
    }),
  });
  const weather = tool({
    inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
    execute: async ({ city }) => `rain in ${city}`,
  });
  const result = streamText({
    model,
    prompt: 'weather in Oslo?',
    tools: { weather },
    stopWhen: isStepCount(2),
  });
  return {
    chunks: result.fullStream,
    messages: async () => (await result.steps).flatMap((made) => made.response.messages),
  };
}

test('a stream of the AI SDK is read once for two readers, and its messages keep their tool exchange whole', async () => {
  const { chunks, messages } = isInstalled
    ? await real()
    : { chunks: recordedChunks(), messages: async () => recorded };
  const fan = replay(chunks, { maxBytes: '1MiB' });
  const textOf = async (): Promise<string> => {
    let text = '';
    for await (const chunk of fan) if (chunk.type === 'text-delta') text += (chunk as { text?: string }).text;
    return text;
  };
  expect(await Promise.all([textOf(), textOf()])).toEqual(['It rains in Oslo.', 'It rains in Oslo.']);
  expect(await textOf()).toBe('It rains in Oslo.');
  fan[Symbol.dispose]();

  const answered = await messages();
  expect(
    answered.map((message) => [
      anyMessage.role(message),
      anyMessage.calls(message),
      anyMessage.answers(message),
    ]),
  ).toEqual(
    recorded.map((message) => [
      anyMessage.role(message),
      anyMessage.calls(message),
      anyMessage.answers(message),
    ]),
  );
  const window = new ConversationWindow<object>({ maxBytes: '1MiB', maxTurns: 1 });
  for (let turn = 0; turn < 3; turn++) {
    window.append({ role: 'user', content: 'weather in Oslo?' });
    for (const message of answered) window.append(message);
  }
  expect(window.messages()).toEqual([{ role: 'user', content: 'weather in Oslo?' }, ...answered]);
});
