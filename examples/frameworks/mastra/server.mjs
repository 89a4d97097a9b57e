// A server on Mastra with a model that needs no key. It does not know Plimsoll.
import { createServer } from 'node:http';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
/** Asks for the tool first, and answers when it has been called. */
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const isAnswered = prompt.some(({ role }) => role === 'tool');
    const content = isAnswered
      ? { type: 'text', text: 'sunny' }
      : { type: 'tool-call', toolCallId: 'c', toolName: 'weather', input: '{"city":"Bristol"}' };
    const reason = isAnswered ? 'stop' : 'tool-calls';
    return { content: [content], finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
  },
});
const weather = createTool({
  id: 'weather',
  description: 'Weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async () => new Promise((done) => setTimeout(() => done({ sky: 'sunny' }), 200)),
});
const assistant = new Agent({
  id: 'assistant',
  name: 'assistant',
  instructions: 'Answer.',
  model,
  tools: { weather },
});
const mastra = new Mastra({ logger: false, agents: { assistant } });

async function handle(request, response) {
  const thread = new URL(request.url, 'http://localhost').searchParams.get('chat') ?? 'default';
  const { text } = await mastra
    .getAgent('assistant')
    .generate('How is the weather?', { memory: { thread, resource: 'user' } });
  response.end(`${text}\n`);
}

const server = createServer((request, response) => void handle(request, response));
server.listen(Number(process.env.PORT ?? 3000), () =>
  console.log(`http://127.0.0.1:${server.address().port}/?chat=1`),
);
