/**
 * A chat server: Fastify, the AI SDK with a tool, and a model in another process, which is asked twice a turn and whose stream of 80 words is
 * read each time. Nothing in it knows of Plimsoll; with the preload its requests, calls, steps and tools are scopes. A model that answers at once would leave it to chance whether V8 collects in the
 * middle of a turn: the same server then took 1.3 or 2.4 ms a turn.
 */
import { fork, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { MockLanguageModelV4 } from 'ai/test';
import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import Fastify from 'fastify';

interface Chat {
  readonly sessionId: string;
  readonly messages: { role: 'user' | 'assistant'; content: string }[];
}

const provider = fork(resolve(import.meta.dirname, '../../test/frameworks/programs/provider.mjs'), {
  execArgv: [],
});
const port = await new Promise<number>((done) => provider.once('message', done));
const lastCore = availableParallelism() - 1;
if (lastCore > 0) spawnSync('taskset', ['-apc', String(lastCore), String(provider.pid)]);

const usage = { inputTokens: { total: 500 }, outputTokens: { total: 80 } };

/** Asks the provider; its events are parsed one by one, as clients do. */
async function answer(messages: unknown): Promise<string> {
  const body = JSON.stringify({ messages });
  const response = await fetch(`http://127.0.0.1:${String(port)}/`, { method: 'POST', body });
  const decoder = new TextDecoder();
  let text = '';
  let rest = '';
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events)
      text += (JSON.parse(event.slice('data: '.length)) as { readonly delta: string }).delta;
  }
  return text;
}

const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    // The mock keeps every call.
    model.doGenerateCalls.length = 0;
    const text = await answer(prompt);
    const isFirst = prompt.at(-1)?.role !== 'tool';
    const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: '{"query":"load line"}' };
    const content = isFirst ? [call] : [{ type: 'text', text }];
    const unified = isFirst ? 'tool-calls' : 'stop';
    return { content, finishReason: { unified, raw: unified }, usage, warnings: [] } as unknown as Awaited<
      ReturnType<MockLanguageModelV4['doGenerate']>
    >;
  },
});

const tools = {
  search: tool({
    inputSchema: jsonSchema<{ query: string }>({ type: 'object', properties: { query: { type: 'string' } } }),
    execute: async ({ query }) => ({ found: `what is known of ${query}` }),
  }),
};

async function turn({ sessionId, messages }: Chat): Promise<{ readonly text: string }> {
  const { text } = await generateText({
    model,
    messages,
    tools,
    stopWhen: isStepCount(3),
    runtimeContext: { sessionId },
  });
  return { text };
}

const app = Fastify();
app.post('/chat', (request) => turn(request.body as Chat));
const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`chat server on ${address}\n`);
process.once('SIGTERM', () => process.exit());
