import { expect, test } from 'vitest';
import { MockModel } from './mock-model.ts';
import type { ModelChunk } from './mock-model.ts';
import type { Message } from './message.ts';

const never = new AbortController().signal;

async function reply(model: MockModel, agent: string, messages: Message[]): Promise<ModelChunk[]> {
  return Array.fromAsync(model.stream({ agent, system: 'Be brief.', messages, signal: never }));
}

const asked: Message[] = [{ role: 'user', content: 'How deep may she lie?' }];

test('the reply follows from the seed and the conversation', async () => {
  const model = new MockModel({ seed: 1, tokenMs: 0 });
  expect(await reply(model, 'writer', asked)).toEqual(await reply(model, 'writer', asked));
  expect(await reply(model, 'writer', asked)).not.toEqual(
    await reply(new MockModel({ seed: 2, tokenMs: 0 }), 'writer', asked),
  );
});

test('a planner first delegates to the researcher, then to the writer, then answers', async () => {
  const model = new MockModel({ seed: 1, tokenMs: 0 });
  const messages = [...asked];
  const steps: string[] = [];
  for (let step = 0; step < 3; step += 1) {
    const chunks = await reply(model, 'planner', messages);
    const call = chunks.find((chunk) => chunk.type === 'tool-call')?.call;
    steps.push(call === undefined ? 'text' : `${call.name} ${call.input['agent']}`);
    messages.push(
      { role: 'assistant', content: 'calling' },
      { role: 'tool', tool: 'delegate', content: 'done' },
    );
  }
  expect(steps).toEqual(['delegate researcher', 'delegate writer', 'text']);
});

test('usage counts the whole conversation that would be sent', async () => {
  const model = new MockModel({ seed: 1, tokenMs: 0 });
  const short = (await reply(model, 'writer', asked)).at(-1);
  const long = (
    await reply(model, 'writer', [{ role: 'tool', tool: 'search', content: 'x'.repeat(4000) }, ...asked])
  ).at(-1);
  expect(short?.type).toBe('usage');
  expect(
    (long as { promptTokens: number }).promptTokens - (short as { promptTokens: number }).promptTokens,
  ).toBeGreaterThan(1000);
});

test('an abort ends the stream in the middle', async () => {
  const model = new MockModel({ seed: 1, tokenMs: 5 });
  const cancel = new AbortController();
  const seen: ModelChunk[] = [];
  const reading = (async () => {
    for await (const chunk of model.stream({
      agent: 'writer',
      system: '',
      messages: asked,
      signal: cancel.signal,
    })) {
      seen.push(chunk);
      if (seen.length === 2) cancel.abort();
    }
  })();
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  expect(seen).toHaveLength(2);
});

test('an agent nobody wrote a script for is an error that names it', async () => {
  const model = new MockModel({ seed: 1, tokenMs: 0 });
  await expect(reply(model, 'juggler', asked)).rejects.toThrow('"juggler"');
});
