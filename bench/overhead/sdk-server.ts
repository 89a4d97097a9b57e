/**
 * A chat server as many are: Fastify, and the AI SDK with a model that answers at once in 60 words. Nothing in it knows of Plimsoll; with
 * the preload its requests, calls and steps are scopes.
 */
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { streamText } from 'ai';
import Fastify from 'fastify';

interface Chat {
  readonly sessionId: string;
  readonly messages: { role: 'user' | 'assistant'; content: string }[];
}

const usage = { inputTokens: { total: 500 }, outputTokens: { total: 60 } };
const words = Array.from({ length: 60 }, (_, i) => ({ type: 'text-delta', id: '1', delta: `word ${i} ` }));
const parts = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '1' },
  ...words,
  { type: 'text-end', id: '1' },
  { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
];
type Generated = Awaited<ReturnType<MockLanguageModelV4['doStream']>>;

const model = new MockLanguageModelV4({
  doStream: async () => {
    // The mock keeps every call.
    model.doStreamCalls.length = 0;
    const stream = simulateReadableStream({ chunks: parts, initialDelayInMs: null, chunkDelayInMs: null });
    return { stream } as unknown as Generated;
  },
});

const app = Fastify();
app.post('/chat', async (request, reply) => {
  const { sessionId, messages } = request.body as Chat;
  const result = streamText({ model, messages, runtimeContext: { sessionId } });
  return reply.type('text/plain').send(result.textStream.pipeThrough(new TextEncoderStream()));
});
const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`chat server on ${address}\n`);
process.once('SIGTERM', () => process.exit());
