// Three sessions of each framework hold 200, 400 and 800 KB of text while their tools wait. What is each session said to hold?
import { randomBytes } from 'node:crypto';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { generateText, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';
import { measure } from '../../../packages/core/src/meter/measure.ts';
import { waitFor } from './scopes.mjs';

for (const name of ['ai', 'langgraph', 'mastra']) await waitFor(name);
const roster = () => globalThis[Symbol.for('plimsoll.slots.v1')].scopes.roster;
const texts = [100_000, 200_000, 400_000].map((bytes) => randomBytes(bytes).toString('hex'));
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const model = () =>
  new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const isAnswered = prompt.some(({ role }) => role === 'tool');
      const content = isAnswered
        ? { type: 'text', text: 'done' }
        : { type: 'tool-call', toolCallId: 'c', toolName: 'wait', input: '{}' };
      const reason = isAnswered ? 'stop' : 'tool-calls';
      return { content: [content], finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
    },
  });
const object = z.object({});

/** Runs the three sessions until all of their tools wait, and then says what each holds for each byte of its text. */
async function ratios(begin) {
  let waiting = 0;
  let go;
  const gate = new Promise((done) => (go = done));
  const wait = async () => {
    waiting += 1;
    await gate;
    return {};
  };
  const runs = texts.map((text, i) => begin(`s${i}`, text, wait));
  while (waiting < 3) await new Promise((done) => setTimeout(done, 5));
  const held = {};
  for (const { scope, roots } of roster().roots()) {
    const session = /\/session:(\w+)/.exec(scope.path)?.[1];
    if (session !== undefined) held[session] = (held[session] ?? 0) + measure(roots).bytes;
  }
  go();
  await Promise.all(runs);
  return texts.map((text, i) => Math.round((100 * (held[`s${i}`] ?? 0)) / text.length));
}

const ai = await ratios((sessionId, content, execute) =>
  generateText({
    model: model(),
    messages: [{ role: 'user', content }],
    tools: { wait: tool({ inputSchema: object, execute }) },
    runtimeContext: { sessionId },
  }),
);
const State = Annotation.Root({ text: Annotation() });
const langgraph = await ratios((thread_id, text, wait) =>
  new StateGraph(State)
    .addNode('wait', wait)
    .addEdge(START, 'wait')
    .addEdge('wait', END)
    .compile({ name: 'graph' })
    .invoke({ text }, { configurable: { thread_id } }),
);
const mastra = await ratios((thread, text, execute) => {
  const wait = createTool({ id: 'wait', description: 'd', inputSchema: object, execute });
  const agent = new Agent({ id: 'a', name: 'a', instructions: 'i', model: model(), tools: { wait } });
  return new Mastra({ logger: false, agents: { a: agent } })
    .getAgent('a')
    .generate(text, { memory: { thread, resource: 'r' } });
});
console.log(JSON.stringify({ ai, langgraph, mastra }));
process.exit(0);
