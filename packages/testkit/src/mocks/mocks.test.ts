import { expect, test } from 'vitest';
import { agentsModel, aiModel, chatModel, mastraModel, mockTool } from './index.ts';

async function all<T>(source: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const each of source) found.push(each);
  return found;
}

test('a seed decides which calls fail, and a mock goes on after a failure', async () => {
  const outcomes = async (seed: number): Promise<string> => {
    const tool = mockTool({ seed, failures: 0.3, bytes: 16 });
    const told: string[] = [];
    for (let i = 0; i < 40; i++)
      told.push(
        await tool().then(
          (text) => String(text.length),
          () => 'x',
        ),
      );
    return told.join(' ');
  };
  const first = await outcomes(7);
  expect(first).toContain('x');
  expect(first).toContain('16');
  expect(await outcomes(7)).toBe(first);
  expect(await outcomes(8)).not.toBe(first);
});

test('an AI SDK model calls its tools first and then streams its answer in pieces', async () => {
  const model = aiModel({ text: 'hello world', chunks: 4, tools: [{ name: 'search', input: { q: 'x' } }] });
  const first = await model.doGenerate({});
  expect(first.content).toEqual([
    { type: 'tool-call', toolCallId: 'call-0', toolName: 'search', input: '{"q":"x"}' },
  ]);
  const parts = await all((await model.doStream({})).stream);
  const types = parts.map(({ type }) => type).join(' ');
  expect(types).toBe('stream-start text-start text-delta text-delta text-delta text-delta text-end finish');
  expect(parts.map(({ delta = '' }) => String(delta)).join('')).toBe('hello world');
  expect(mastraModel().specificationVersion).toBe('v2');
});

test('a stream ends with its signal, and an aborted call does not answer', async () => {
  const controller = new AbortController();
  const model = aiModel({ chunks: 100, text: 'x'.repeat(1000) });
  const { stream } = await model.doStream({ abortSignal: controller.signal });
  controller.abort(new Error('left'));
  await expect(all(stream)).rejects.toThrow('left');
  await expect(model.doGenerate({ abortSignal: controller.signal })).rejects.toThrow('left');
});

test('an OpenAI Agents model answers and streams', async () => {
  class Usage {
    readonly requests = 1;
  }
  const model = agentsModel(Usage, { text: 'hi there', chunks: 2, tools: [{ name: 'ask' }] });
  const { output } = await model.getResponse({});
  expect(output).toMatchObject([{ type: 'function_call', name: 'ask', arguments: '{}' }]);
  const events = await all(model.getStreamedResponse({}));
  expect(events.map(({ type }) => type)).toEqual(['output_text_delta', 'output_text_delta', 'response_done']);
});

test('a chat model extends the base class that it is given', async () => {
  class Fields {
    readonly isFields = true;

    constructor(fields: object) {
      Object.assign(this, fields);
    }
  }
  abstract class BaseChatModel {
    readonly isBase = true;
  }
  const model = chatModel(
    { BaseChatModel, AIMessage: Fields, AIMessageChunk: Fields, ChatGenerationChunk: Fields },
    { text: 'ab', chunks: 2, tools: [{ name: 'search', input: { q: 1 } }] },
  ) as BaseChatModel & {
    _generate(messages: unknown): Promise<object>;
    _streamResponseChunks(messages: unknown): AsyncIterable<{ text?: string }>;
  };
  expect(model.isBase).toBe(true);
  expect(await model._generate([])).toMatchObject({
    generations: [{ message: { tool_calls: [{ name: 'search', args: { q: 1 } }] } }],
  });
  expect((await all(model._streamResponseChunks([]))).map(({ text }) => text)).toEqual(['a', 'b']);
});
