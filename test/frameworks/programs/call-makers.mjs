// One call of each framework, for the benchmark of the adapters. `call` is the least that a framework can do, with a model that answers at
// once. `turn` is what a server does: a conversation of 20 messages is sent to a provider in another process, and its stream is read.
import { fork, spawnSync } from 'node:child_process';

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const stop = { unified: 'stop', raw: 'stop' };
const history = Array.from({ length: 20 }, (_, i) => ({
  role: i % 2 === 0 ? 'user' : 'assistant',
  content: `Message ${i}. ${'The ship takes its load by the line on its hull. '.repeat(16)}`,
}));

/** Starts the provider and returns the function that asks it: 80 events of a stream, each parsed as clients do. */
async function provider() {
  const child = fork(new URL('provider.mjs', import.meta.url), { execArgv: [] });
  const port = await new Promise((done) => child.once('message', done));
  const core = process.env.PROVIDER_CORE;
  if (core !== undefined) spawnSync('taskset', ['-apc', core, String(child.pid)]);
  child.unref();
  child.channel.unref();
  return async (messages) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body: JSON.stringify({ messages }),
    });
    let text = '';
    let rest = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (rest + chunk).split('\n\n');
      rest = events.pop();
      for (const event of events) text += JSON.parse(event.slice('data: '.length)).delta;
    }
    return text;
  };
}

async function answers(load) {
  if (load === 'turn') return provider();
  return async () => 'x';
}

async function mock(load) {
  const { MockLanguageModelV4 } = await import('ai/test');
  const answer = await answers(load);
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      model.doGenerateCalls.length = 0;
      const text = await answer(prompt);
      return { content: [{ type: 'text', text }], finishReason: stop, usage, warnings: [] };
    },
  });
  return model;
}

export const makers = {
  async http(load) {
    const { Agent, createServer, request } = await import('node:http');
    const answer = await answers(load);
    const server = createServer(async (incoming, response) => {
      let body = '';
      for await (const chunk of incoming) body += chunk;
      response.end(await answer(body === '' ? '' : JSON.parse(body)));
    }).listen(0);
    server.unref();
    const agent = new Agent({ keepAlive: true });
    const headers = { 'x-session-id': 'one' };
    const body = load === 'turn' ? JSON.stringify({ history }) : undefined;
    return () =>
      new Promise((done) => {
        request({ port: server.address().port, agent, headers, method: 'POST' }, (response) =>
          response.resume().once('end', done),
        ).end(body);
      });
  },
  async ai(load) {
    const { generateText } = await import('ai');
    const model = await mock(load);
    const input = load === 'turn' ? { messages: history } : { prompt: 'hello' };
    return () => generateText({ model, ...input, runtimeContext: { sessionId: 'one' } });
  },
  async langgraph(load) {
    const { Annotation, END, START, StateGraph } = await import('@langchain/langgraph');
    const answer = await answers(load);
    const graph = new StateGraph(Annotation.Root({ text: Annotation(), history: Annotation() }))
      .addNode('say', async (state) => ({ text: await answer(state.history) }))
      .addEdge(START, 'say')
      .addEdge('say', END)
      .compile();
    const input = { text: 'go', history: load === 'turn' ? history : [] };
    return () => graph.invoke(input, { configurable: { thread_id: 'one' } });
  },
  async 'openai-agents'(load) {
    const { Agent, Runner, setTraceProcessors, Usage } = await import('@openai/agents');
    setTraceProcessors([]);
    const answer = await answers(load);
    const output = (text) => [
      { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] },
    ];
    const model = {
      getResponse: async ({ input }) => ({
        usage: new Usage(),
        output: output(await answer(input)),
        responseId: 'r',
      }),
    };
    const agent = new Agent({ name: 'a', model });
    const runner = new Runner({ groupId: 'one' });
    const input =
      load === 'turn'
        ? history.map(({ role, content }) =>
            role === 'user' ? { role, content } : { ...output(content)[0] },
          )
        : 'hello';
    return () => runner.run(agent, input);
  },
  async mastra(load) {
    const { Agent } = await import('@mastra/core/agent');
    const { Mastra } = await import('@mastra/core/mastra');
    const agent = new Agent({ id: 'a', name: 'a', instructions: 'i', model: await mock(load) });
    const mastra = new Mastra({ logger: false, agents: { a: agent } });
    const input = load === 'turn' ? history : 'hello';
    return () => mastra.getAgent('a').generate(input, { memory: { thread: 'one', resource: 'r' } });
  },
  async mcp(load) {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
    const answer = await answers(load);
    const server = new McpServer({ name: 's', version: '1' });
    server.registerTool('say', { description: 'd' }, async () => ({
      content: [{ type: 'text', text: await answer(history) }],
    }));
    const client = new Client({ name: 'c', version: '1' });
    await (load === 'turn' ? overHttp(server, client) : inMemory(server, client));
    return () => client.callTool({ name: 'say', arguments: {} });
  },
};

async function inMemory(server, client) {
  const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js');
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  await client.connect(here);
}

async function overHttp(server, client) {
  const { randomUUID } = await import('node:crypto');
  const { createServer } = await import('node:http');
  const { StreamableHTTPServerTransport } =
    await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const { StreamableHTTPClientTransport } =
    await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await server.connect(transport);
  const http = createServer((request, response) => void transport.handleRequest(request, response)).listen(0);
  http.unref();
  await new Promise((done) => http.once('listening', done));
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${http.address().port}/`)),
  );
}
