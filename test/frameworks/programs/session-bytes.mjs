// Three sessions of each framework hold 250, 500 and 1,000 KB of text while their tools wait, and one holds next to none. What is each session
// said to hold? The truth is what the heap loses when that session ends and the others go on.
import { fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { generateText, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';
import { measure } from '../../../packages/core/src/meter/measure.ts';
import { Agent as OpenAiAgent, Runner, setTraceProcessors, tool as agentTool, Usage } from '@openai/agents';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { floor, waitFor } from './scopes.mjs';

for (const name of ['ai', 'langgraph', 'mastra', 'openai-agents', 'mcp']) await waitFor(name);
const roster = () => globalThis[Symbol.for('plimsoll.slots.v1')].scopes.roster;
// Longer texts would be outside of the heap.
const sizes = [2, 250_000, 500_000, 1_000_000];
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const model = () => {
  const made = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      made.doGenerateCalls.length = 0;
      const isAnswered = prompt.some(({ role }) => role === 'tool');
      const content = isAnswered
        ? { type: 'text', text: 'done' }
        : { type: 'tool-call', toolCallId: 'c', toolName: 'wait', input: '{}' };
      const reason = isAnswered ? 'stop' : 'tool-calls';
      return { content: [content], finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
    },
  });
  return made;
};
const object = z.object({});

/**
 * Runs the sessions until all of their tools wait, and ends them one after the other. It says in percent what each was said to hold: of its
 * text, beyond what the session without text holds, and of what the heap lost when it ended.
 */
async function measured(begin, bytesNow) {
  let waiting = 0;
  const sessions = sizes.map((size, i) => {
    const gate = Promise.withResolvers();
    const wait = async () => {
      waiting += 1;
      await gate.promise;
      return {};
    };
    return { gate, run: begin(`s${i}`, randomBytes(size / 2).toString('hex'), wait).then(() => undefined) };
  });
  while (waiting < sizes.length) await sleep(5);
  const said = new Map();
  for (const { scope, roots } of roster().roots()) {
    const session = /\/session:([\w-]+)/.exec(scope.path)?.[1];
    if (session !== undefined) said.set(session, (said.get(session) ?? 0) + measure(roots).bytes);
  }
  const held = [...said.values()].toSorted((a, b) => a - b);
  const left = [await bytesNow()];
  for (const { gate, run } of sessions) {
    gate.resolve();
    await run;
    left.push(await bytesNow());
  }
  const freed = sizes.map((_, i) => left[i] - left[i + 1]);
  const [bare = 0, ...bytes] = held;
  const inPercentOf = (parts, truth) => parts.map((part, i) => Math.round((100 * part) / truth[i + 1]));
  const texts = bytes.map((each) => each - bare);
  return { ofText: inPercentOf(texts, sizes), ofFreed: inPercentOf(bytes, freed) };
}

/** Frameworks let go of a call some turns of the event loop after it has ended. Not told with TEXT_ONLY, which saves twenty seconds. */
async function liveBytes() {
  if (process.env.TEXT_ONLY) return 0;
  await sleep(300);
  return floor();
}

const ai = (sessionId, content, execute) =>
  generateText({
    model: model(),
    messages: [{ role: 'user', content }],
    tools: { wait: tool({ inputSchema: object, execute }) },
    runtimeContext: { sessionId },
  });
const State = Annotation.Root({ text: Annotation() });
const langgraph = (thread_id, text, wait) =>
  new StateGraph(State)
    .addNode('wait', wait)
    .addEdge(START, 'wait')
    .addEdge('wait', END)
    .compile({ name: 'graph' })
    .invoke({ text }, { configurable: { thread_id } });
const mastra = (thread, text, execute) => {
  const wait = createTool({ id: 'wait', description: 'd', inputSchema: object, execute });
  const agent = new Agent({ id: 'a', name: 'a', instructions: 'i', model: model(), tools: { wait } });
  return new Mastra({ logger: false, agents: { a: agent } })
    .getAgent('a')
    .generate(text, { memory: { thread, resource: 'r' } });
};
setTraceProcessors([]);
const agents = (groupId, text, execute) => {
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
};

// One server has all sessions and their clients are in another process, so that nothing else ends with a session of MCP.
const transports = new Map();
const http = createServer(
  (request, response) => void transports.get(request.url).handleRequest(request, response),
);
http.keepAliveTimeout = 60_000;
await new Promise((done) => http.listen(0, done));
const clients = fork(new URL('mcp-client.mjs', import.meta.url), { execArgv: [] });
const ended = new EventEmitter();
clients.on('message', (url) => ended.emit(url));

/** A session of MCP holds what the program keeps in its server: here a text that the tool refers to. */
const mcp = async (name, text, wait) => {
  const server = new McpServer({ name: 's', version: '1' });
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  transport.notes = { text };
  server.registerTool('wait', { description: 'd' }, async () => {
    await wait();
    return { content: [{ type: 'text', text: String(transport.notes.text.length) }] };
  });
  await server.connect(transport);
  transports.set(`/${name}`, transport);
  const url = `http://127.0.0.1:${http.address().port}/${name}`;
  clients.send(url);
  await once(ended, url);
  await transport.close();
  transports.delete(`/${name}`);
};
const all = Object.entries({ ai, langgraph, mastra, 'openai-agents': agents, mcp });
// The first calls of a framework leave its own code and caches behind, and the host has its own start.
for (const [, begin] of all) await measured(begin, async () => 0);
const said = {};
for (const [name, begin] of all) said[name] = await measured(begin, liveBytes);
console.log(JSON.stringify(said));
process.exit(0);
