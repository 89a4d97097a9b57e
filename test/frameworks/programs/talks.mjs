// Conversations of all shapes for the measurement of bytes per session, and how each framework carries one on until its tool waits.
import { AsyncLocalStorage } from 'node:async_hooks';
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { generateText, isStepCount, simulateReadableStream, streamText, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';
import { Agent as OpenAiAgent, Runner, setTraceProcessors, tool as agentTool, Usage } from '@openai/agents';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** Numbers from 0 to 1 that are the same for a seed every time. */
function random(seed) {
  let state = seed * 2654435761;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/** Text of about this many bytes, one of its kind. A part of the conversations is not in Latin letters. */
function text(next, bytes) {
  const isWide = next() < 0.2;
  const letters = Array.from({ length: 64 }, () =>
    String.fromCharCode((isWide ? 0x4e00 : 0x61) + next() * 26),
  );
  const word = () => letters.slice(next() * 32, 32 + next() * 32).join('');
  let made = '';
  while (made.length * (isWide ? 2 : 1) < bytes) made += `${word()}${Math.floor(next() * 1e9)} `;
  const encoding = isWide ? 'utf16le' : 'latin1';
  return Buffer.from(made, encoding).toString(encoding);
}

/** A conversation: messages so far, and how many answers of a tool come before the one that is waited for. */
export function talkOf(seed, bytes) {
  const next = random(seed);
  const count = 1 + 2 * Math.floor(next() * 10);
  const shares = Array.from({ length: count }, () => 0.1 + next());
  const sum = shares.reduce((total, share) => total + share, 0);
  const messages = shares.map((share, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: text(next, (0.7 * bytes * share) / sum),
  }));
  const looks = Math.floor(next() * 4);
  const results = Array.from({ length: looks }, () => text(next, (0.3 * bytes) / looks));
  return { messages, results, isStream: next() < 0.5 };
}

/** The conversation that the running code is part of. */
const here = new AsyncLocalStorage();
const look = async () => {
  const { talk, wait } = here.getStore();
  const result = talk.results.shift();
  talk.isOver = result === undefined;
  if (result === undefined) await wait();
  return { result: result ?? 'none' };
};
const isOver = () => here.getStore().talk.isOver;

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const object = z.object({});
let calls = 0;
const answer = () => {
  const isDone = isOver();
  here.getStore().asked();
  const part = { type: 'tool-call', toolCallId: `c${(calls += 1)}`, toolName: 'look', input: '{}' };
  const reason = isDone ? 'stop' : 'tool-calls';
  return {
    part: isDone ? { type: 'text', text: 'done' } : part,
    finishReason: { unified: reason, raw: reason },
  };
};
const model = new MockLanguageModelV4({
  doGenerate: async () => {
    model.doGenerateCalls.length = 0;
    const { part, finishReason } = answer();
    return { content: [part], finishReason, usage, warnings: [] };
  },
  doStream: async () => {
    model.doStreamCalls.length = 0;
    const { part, finishReason } = answer();
    const said = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: part.text },
      { type: 'text-end', id: '1' },
    ];
    const chunks = [
      { type: 'stream-start', warnings: [] },
      ...(part.type === 'text' ? said : [part]),
      { type: 'finish', finishReason, usage },
    ];
    return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
  },
});

const aiTool = tool({ inputSchema: object, execute: look });
async function ai(sessionId, { messages, isStream }) {
  const options = {
    model,
    messages,
    tools: { look: aiTool },
    stopWhen: isStepCount(9),
    runtimeContext: { sessionId },
  };
  if (isStream) await streamText(options).consumeStream();
  else await generateText(options);
}

const State = Annotation.Root({
  messages: Annotation({ reducer: (a, b) => [...a, ...b], default: () => [] }),
});
const graph = new StateGraph(State)
  .addNode('look', async () => ({ messages: [{ role: 'tool', ...(await look()) }] }))
  .addEdge(START, 'look')
  .addConditionalEdges('look', () => (isOver() ? END : 'look'))
  .compile({ name: 'graph' });
async function langgraph(thread_id, { messages, isStream }) {
  const config = { configurable: { thread_id } };
  if (!isStream) await graph.invoke({ messages }, config);
  else for await (const _ of await graph.stream({ messages }, config));
}

const mastraTool = createTool({ id: 'look', description: 'd', inputSchema: object, execute: look });
const mastraAgent = new Agent({ id: 'a', name: 'a', instructions: 'i', model, tools: { look: mastraTool } });
const instance = new Mastra({ logger: false, agents: { a: mastraAgent } });
async function mastra(thread, { messages, isStream }) {
  const options = { memory: { thread, resource: 'r' }, maxSteps: 9 };
  const agent = instance.getAgent('a');
  if (isStream) await (await agent.stream(messages, options)).consumeStream();
  else await agent.generate(messages, options);
}

setTraceProcessors([]);
const output = (given) => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: given }],
});
const getResponse = async () => {
  const { part } = answer();
  const call = {
    type: 'function_call',
    name: 'look',
    callId: part.toolCallId,
    status: 'completed',
    arguments: '{}',
  };
  return { usage: new Usage(), responseId: 'r', output: [part.type === 'text' ? output(part.text) : call] };
};
const agentsModel = {
  getResponse,
  async *getStreamedResponse() {
    const { output: said } = await getResponse();
    const counts = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    yield { type: 'response_done', response: { id: 'r', usage: counts, output: said } };
  },
};
const agentsTool = agentTool({ name: 'look', description: 'd', parameters: object, execute: look });
const openAiAgent = new OpenAiAgent({ name: 'a', model: agentsModel, tools: [agentsTool] });
async function agents(groupId, { messages, isStream }) {
  const input = messages.map(({ role, content }) => (role === 'user' ? { role, content } : output(content)));
  const runner = new Runner({ groupId });
  if (!isStream) await runner.run(openAiAgent, input);
  else {
    const run = await runner.run(openAiAgent, input, { stream: true });
    for await (const _ of run);
    await run.completed;
  }
}

// One server has all sessions and their clients are in another process, so that nothing else ends with a session of MCP.
const transports = new Map();
const http = createServer(
  (request, response) => void transports.get(request.url).handleRequest(request, response),
);
http.keepAliveTimeout = 60_000;
const clients = fork(new URL('mcp-client.mjs', import.meta.url), { execArgv: [] });
const ended = new EventEmitter();
clients.on('message', (url) => ended.emit(url));

/** A session of MCP holds what the program keeps in its server: here what was said. */
async function mcp(name, { messages, results }) {
  if (!http.listening) await new Promise((done) => http.listen(0, done));
  const server = new McpServer({ name: 's', version: '1' });
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  transport.notes = [...messages, ...results];
  const { talk, wait } = here.getStore();
  talk.results.length = 0;
  server.registerTool('wait', { description: 'd' }, async () => {
    await wait();
    return { content: [{ type: 'text', text: String(transport.notes.length) }] };
  });
  await server.connect(transport);
  transports.set(`/${name}`, transport);
  const url = `http://127.0.0.1:${http.address().port}/${name}`;
  clients.send(url);
  await once(ended, url);
  await transport.close();
  transports.delete(`/${name}`);
}

const frameworks = { ai, langgraph, mastra, 'openai-agents': agents, mcp };
export const names = Object.keys(frameworks);

/**
 * Begins a session; `wait` is called when its tool waits, and `asked` when a model is. Nothing but the framework holds the conversation from
 * then on.
 */
export function begin(framework, session, talk, wait, asked = () => undefined) {
  return here.run({ talk: { results: [...talk.results], isOver: false }, wait, asked }, () =>
    frameworks[framework](session, talk),
  );
}
