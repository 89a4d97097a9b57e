// Three sessions, nested agents and tools, one early exit, one error, one abort. Prints the scopes that were seen and those left open.
import { subscribe } from 'node:diagnostics_channel';
import { generateText, simulateReadableStream, stepCountIs, streamText, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';

const scopes = () => globalThis[Symbol.for('plimsoll.slots.v1')]?.scopes;
while (
  !scopes() ||
  (!process.env.NO_WAIT && !globalThis[Symbol.for('plimsoll.slots.v1')].frameworks?.connected.has('ai'))
)
  await new Promise((done) => setTimeout(done, 10));

const opened = [];
subscribe('plimsoll:scope.open', (scope) => opened.push(scope.path));
const inside = [];
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const stop = { unified: 'stop', raw: 'stop' };
const calls = { unified: 'tool-calls', raw: 'tool' };

/** A model that first calls a tool, then answers. */
function caller(toolName) {
  let turn = 0;
  return new MockLanguageModelV4({
    doGenerate: async () =>
      turn++ === 0
        ? {
            content: [{ type: 'tool-call', toolCallId: 't1', toolName, input: '{}' }],
            finishReason: calls,
            usage,
            warnings: [],
          }
        : { content: [{ type: 'text', text: 'done' }], finishReason: stop, usage, warnings: [] },
  });
}
const speaker = () =>
  new MockLanguageModelV4({
    doStream: async () => ({
      stream: simulateReadableStream({
        initialDelayInMs: null,
        chunkDelayInMs: null,
        chunks: [
          { type: 'stream-start', warnings: [] },
          { type: 'text-start', id: '1' },
          ...Array.from({ length: 20 }, () => ({ type: 'text-delta', id: '1', delta: 'x' })),
          { type: 'text-end', id: '1' },
          { type: 'finish', finishReason: stop, usage },
        ],
      }),
    }),
  });
const search = tool({
  inputSchema: z.object({}),
  execute: async () => {
    inside.push(scopes().currentScope().path);
    return 'found';
  },
});
const ask = tool({
  inputSchema: z.object({}),
  execute: async () => {
    const { text } = await generateText({
      model: caller('search'),
      prompt: 'inner',
      tools: { search },
      stopWhen: stepCountIs(3),
      telemetry: { functionId: 'researcher' },
    });
    return text;
  },
});

// One: nested agents and tools.
await generateText({
  model: caller('ask'),
  prompt: 'outer',
  tools: { ask },
  stopWhen: stepCountIs(3),
  telemetry: { functionId: 'planner' },
  runtimeContext: { sessionId: 'one' },
});
const open = () => [...scopes().roster.open].map((scope) => scope.path).filter((path) => path !== 'process');
// Two: a stream that is read to its end, and one whose reader leaves.
const whole = streamText({
  model: speaker(),
  prompt: 'two',
  runtimeContext: { sessionId: 'two' },
  telemetry: { functionId: 'speaker' },
});
await whole.consumeStream();
await (async () => {
  const left = streamText({
    model: speaker(),
    prompt: 'two',
    runtimeContext: { sessionId: 'two' },
    telemetry: { functionId: 'left' },
  });
  for await (const _ of left.textStream) break;
  // Its scope is closed now, and not only when the collector takes the result.
  await new Promise((done) => setTimeout(done, 20));
  if (open().some((path) => path.includes('agent:left'))) throw new Error('the call is still open');
})();
// Three: a model that fails, and a call that is aborted.
await generateText({
  model: new MockLanguageModelV4({
    doGenerate: async () => {
      throw new Error('model');
    },
  }),
  prompt: 'three',
  maxRetries: 0,
  runtimeContext: { sessionId: 'three' },
  telemetry: { functionId: 'failing' },
}).catch(() => undefined);
const abort = new AbortController();
const aborted = streamText({
  model: speaker(),
  prompt: 'three',
  abortSignal: abort.signal,
  runtimeContext: { sessionId: 'three' },
  telemetry: { functionId: 'aborted' },
  onError() {},
});
for await (const _ of aborted.textStream) abort.abort();

for (let i = 0; i < 200 && open().length > 3; i += 1) {
  globalThis.gc();
  await new Promise((done) => setTimeout(done, 20));
}
console.log(JSON.stringify({ opened, inside, open: open() }));
