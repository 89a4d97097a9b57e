// A server on OpenAI Agents with a model that needs no key. It does not know Plimsoll.
import { createServer } from 'node:http';
import { Agent, Runner, setTraceProcessors, tool, Usage } from '@openai/agents';
import { z } from 'zod';

// Without a key the default processor would print a line every few seconds.
setTraceProcessors([]);

/** Asks for the tool first, and answers when it has been called. */
const model = {
  async getResponse({ input }) {
    const isAnswered = Array.isArray(input) && input.some(({ type }) => type === 'function_call_result');
    const output = isAnswered
      ? {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'sunny' }],
        }
      : {
          type: 'function_call',
          callId: 'c',
          name: 'weather',
          status: 'completed',
          arguments: '{"city":"Bristol"}',
        };
    return { usage: new Usage(), output: [output], responseId: 'r' };
  },
  async *getStreamedResponse() {},
};
const weather = tool({
  name: 'weather',
  description: 'Weather of a city.',
  parameters: z.object({ city: z.string() }),
  execute: async () => new Promise((done) => setTimeout(() => done('sunny'), 200)),
});
const agent = new Agent({ name: 'assistant', instructions: 'Answer.', model, tools: [weather] });

async function handle(request, response) {
  const groupId = new URL(request.url, 'http://localhost').searchParams.get('chat') ?? 'default';
  const { finalOutput } = await new Runner({ groupId }).run(agent, 'How is the weather?');
  response.end(`${finalOutput}\n`);
}

const server = createServer((request, response) => void handle(request, response));
server.listen(Number(process.env.PORT ?? 3000), () =>
  console.log(`http://127.0.0.1:${server.address().port}/?chat=1`),
);
