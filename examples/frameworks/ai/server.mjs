// A chat server on the AI SDK with a model that needs no key. It does not know Plimsoll.
import { createServer } from 'node:http';
import { simulateReadableStream, streamText } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

const words = 'Plimsoll marks how deep a ship may lie in the water.'.split(' ');
const usage = { inputTokens: { total: 1 }, outputTokens: { total: words.length } };
const model = new MockLanguageModelV4({
  doStream: async () => ({
    stream: simulateReadableStream({
      chunkDelayInMs: 200,
      chunks: [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '1' },
        ...words.map((word) => ({ type: 'text-delta', id: '1', delta: `${word} ` })),
        { type: 'text-end', id: '1' },
        { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
      ],
    }),
  }),
});
// One signal for the life of the process: without Plimsoll every client that leaves early costs 101 KB.
const shutdown = new AbortController();

const server = createServer((_request, response) => {
  streamText({
    model,
    prompt: 'What is Plimsoll?',
    abortSignal: shutdown.signal,
    telemetry: { functionId: 'chat' },
  }).pipeTextStreamToResponse(response);
});
server.listen(Number(process.env.PORT ?? 3000), () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
);
