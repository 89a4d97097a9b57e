// Three sessions of each framework hold 200, 400 and 800 KB of text while their tools wait. What is each session said to hold? With
// SNAPSHOTS, a folder, a heap snapshot of that moment is the truth: what the roots of a session dominate.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { writeHeapSnapshot } from 'node:v8';
import { randomBytes } from 'node:crypto';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { generateText, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';
import { measure } from '../../../packages/core/src/meter/measure.ts';
import { Agent as OpenAiAgent, Runner, setTraceProcessors, tool as agentTool, Usage } from '@openai/agents';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { waitFor } from './scopes.mjs';

for (const name of ['ai', 'langgraph', 'mastra', 'openai-agents', 'mcp']) await waitFor(name);
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
async function ratios(name, begin) {
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
  const said = {};
  for (const { scope, roots } of roster().roots()) {
    const session = /\/session:([\w-]+)/.exec(scope.path)?.[1];
    if (session !== undefined) said[session] = (said[session] ?? 0) + measure(roots).bytes;
  }
  if (process.env.SNAPSHOTS) writeHeapSnapshot(join(process.env.SNAPSHOTS, `${name}.heapsnapshot`));
  const held = Object.values(said).toSorted((a, b) => a - b);
  sessions[name] = said;
  go();
  await Promise.all(runs);
  return texts.map((text, i) => Math.round((100 * (held[i] ?? 0)) / text.length));
}

/** Bytes that each session is said to hold, by framework. */
const sessions = {};

const ai = await ratios('ai', (sessionId, content, execute) =>
  generateText({
    model: model(),
    messages: [{ role: 'user', content }],
    tools: { wait: tool({ inputSchema: object, execute }) },
    runtimeContext: { sessionId },
  }),
);
const State = Annotation.Root({ text: Annotation() });
const langgraph = await ratios('langgraph', (thread_id, text, wait) =>
  new StateGraph(State)
    .addNode('wait', wait)
    .addEdge(START, 'wait')
    .addEdge('wait', END)
    .compile({ name: 'graph' })
    .invoke({ text }, { configurable: { thread_id } }),
);
const mastra = await ratios('mastra', (thread, text, execute) => {
  const wait = createTool({ id: 'wait', description: 'd', inputSchema: object, execute });
  const agent = new Agent({ id: 'a', name: 'a', instructions: 'i', model: model(), tools: { wait } });
  return new Mastra({ logger: false, agents: { a: agent } })
    .getAgent('a')
    .generate(text, { memory: { thread, resource: 'r' } });
});
setTraceProcessors([]);
const agents = await ratios('openai-agents', (groupId, text, execute) => {
  let turn = 0;
  const getResponse = async () => ({
    usage: new Usage(),
    responseId: 'r',
    output:
      (turn += 1) === 1
        ? [{ type: 'function_call', name: 'wait', callId: 'c', status: 'completed', arguments: '{}' }]
        : [
            {
              type: 'message',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: 'done' }],
            },
          ],
  });
  const wait = agentTool({ name: 'wait', description: 'd', parameters: object, execute });
  const agent = new OpenAiAgent({ name: 'a', model: { getResponse }, tools: [wait] });
  return new Runner({ groupId }).run(agent, text);
});

/** A session of MCP holds what the program keeps in its server: here a text that the tool refers to. */
const mcp = await ratios('mcp', async (_, text, wait) => {
  const server = new McpServer({ name: 's', version: '1' });
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  transport.notes = { text };
  server.registerTool('wait', { description: 'd' }, async () => {
    await wait();
    return { content: [{ type: 'text', text: String(transport.notes.text.length) }] };
  });
  await server.connect(transport);
  const http = createServer((request, response) => void transport.handleRequest(request, response)).listen(0);
  await new Promise((done) => http.once('listening', done));
  const client = new Client({ name: 'c', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${http.address().port}/`)),
  );
  await client.callTool({ name: 'wait', arguments: {} });
});
console.log(JSON.stringify({ ratios: { ai, langgraph, mastra, 'openai-agents': agents, mcp }, sessions }));
process.exit(0);
