// Three threads; an agent that is a tool of another one, a workflow, an early exit, an error and an abort.
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { simulateReadableStream } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';
import { connected, current, open } from './scopes.mjs';

const opened = await connected('mastra');
const inside = [];
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finishReason = (reason) => ({ unified: reason, raw: reason });
const say = (text) => ({ content: [{ type: 'text', text }], finishReason: finishReason('stop') });
const call = (toolName) => ({
  content: [{ type: 'tool-call', toolCallId: `c-${toolName}`, toolName, input: '{"q":"x"}' }],
  finishReason: finishReason('tool-calls'),
});
const next = (turns) => {
  const turn = turns.shift();
  if (turn === undefined) throw new Error('planned');
  return turn;
};
const chunks = (text) => [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '1' },
  ...text.split(' ').map((word) => ({ type: 'text-delta', id: '1', delta: `${word} ` })),
  { type: 'text-end', id: '1' },
  { type: 'finish', finishReason: finishReason('stop'), usage },
];
const script = (...turns) =>
  new MockLanguageModelV4({
    doGenerate: async () => ({ ...next(turns), usage, warnings: [] }),
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: chunks(next(turns).content[0].text),
        initialDelayInMs: null,
        chunkDelayInMs: null,
      }),
    }),
  });
const agent = (id, model, tools = {}) =>
  new Agent({ id, name: id, instructions: 'i', model, tools, maxRetries: 0 });
const search = createTool({
  id: 'search',
  description: 'd',
  inputSchema: z.object({ q: z.string() }),
  execute: async () => {
    inside.push(current());
    return { found: 1 };
  },
});
const researcher = agent('researcher', script(call('search'), say('found')), { search });
const ask = createTool({
  id: 'ask',
  description: 'd',
  inputSchema: z.object({ q: z.string() }),
  execute: async ({ q }) => ({ text: (await researcher.generate(q)).text }),
});
const step = createStep({
  id: 'think',
  inputSchema: z.object({}),
  outputSchema: z.object({}),
  execute: async () => {
    inside.push(current());
    return {};
  },
});
const flow = createWorkflow({ id: 'flow', inputSchema: z.object({}), outputSchema: z.object({}) })
  .then(step)
  .commit();
const { Observability } = process.env.OBSERVED ? await import('@mastra/observability') : {};
const exporter = { name: 'none', async exportTracingEvent() {}, async flush() {}, async shutdown() {} };
const mastra = new Mastra({
  ...(Observability && {
    observability: new Observability({ configs: { default: { serviceName: 's', exporters: [exporter] } } }),
  }),
  logger: false,
  workflows: { flow },
  agents: {
    researcher,
    planner: agent('planner', script(call('ask'), say('done')), { ask }),
    left: agent('left', script(say('a b c d e f g h'))),
    failing: agent('failing', script()),
    aborted: agent('aborted', script(say('x'))),
  },
});
const thread = (id) => ({ memory: { thread: id, resource: 'user' } });

const { text } = await mastra.getAgent('planner').generate('go', thread('one'));
const first = opened.splice(0);
await (await mastra.getWorkflow('flow').createRun()).start({ inputData: {} });
const workflow = opened.splice(0);
const output = await mastra.getAgent('left').stream('go', thread('two'));
for await (const _ of output.textStream) break;
await mastra
  .getAgent('failing')
  .generate('go', thread('three'))
  .catch(() => undefined);
const abort = new AbortController();
const aborted = mastra
  .getAgent('aborted')
  .generate('go', { ...thread('three'), abortSignal: abort.signal })
  .catch(() => undefined);
abort.abort();
await aborted;
console.log(JSON.stringify({ text, first, workflow, inside, rest: opened, open: await open(3) }));
process.exit(0);
