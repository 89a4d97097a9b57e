// Readers that leave early, on a signal that lives as long as the process: 101 KB per call are kept without a cure.
import { streamText, simulateReadableStream } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { keptPerCall, waitFor } from './scopes.mjs';

const chunks = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '1' },
  ...Array.from({ length: 50 }, (_, i) => ({ type: 'text-delta', id: '1', delta: `word ${i} ` })),
  { type: 'text-end', id: '1' },
  {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 50 } },
  },
];
const model = new MockLanguageModelV4({
  doStream: async () => ({
    stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }),
  }),
});
const shutdown = new AbortController();

async function call() {
  const request = new AbortController();
  const abortSignal =
    process.argv[2] === 'any' ? AbortSignal.any([request.signal, shutdown.signal]) : shutdown.signal;
  const result = streamText({ model, prompt: 'hello', abortSignal, onError() {} });
  for await (const _ of result.textStream) break;
  model.doStreamCalls.length = 0;
}

await waitFor('ai');
console.log(JSON.stringify({ bytesPerCall: await keptPerCall(Number(process.env.CALLS ?? 1000), call) }));
