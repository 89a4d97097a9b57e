// Many calls of one framework, for the benchmark of the adapters: CPU time and growth per call over the second half.
import { floor, waitFor } from './scopes.mjs';

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const stop = { unified: 'stop', raw: 'stop' };

async function mock() {
  const { MockLanguageModelV4 } = await import('ai/test');
  const model = new MockLanguageModelV4({
    doGenerate: async () => {
      model.doGenerateCalls.length = 0;
      return { content: [{ type: 'text', text: 'x' }], finishReason: stop, usage, warnings: [] };
    },
  });
  return model;
}

const makers = {
  async http() {
    const { Agent, createServer, request } = await import('node:http');
    const server = createServer((_, response) => response.end('ok')).listen(0);
    const agent = new Agent({ keepAlive: true });
    const headers = { 'x-session-id': 'one' };
    return () =>
      new Promise((done) => {
        request({ port: server.address().port, agent, headers }, (response) =>
          response.resume().once('end', done),
        ).end();
      });
  },
  async ai() {
    const { generateText } = await import('ai');
    const model = await mock();
    return () => generateText({ model, prompt: 'hello', runtimeContext: { sessionId: 'one' } });
  },
  async langgraph() {
    const { Annotation, END, START, StateGraph } = await import('@langchain/langgraph');
    const graph = new StateGraph(Annotation.Root({ text: Annotation() }))
      .addNode('say', () => ({ text: 'x' }))
      .addEdge(START, 'say')
      .addEdge('say', END)
      .compile();
    return () => graph.invoke({ text: 'go' }, { configurable: { thread_id: 'one' } });
  },
  async 'openai-agents'() {
    const { Agent, Runner, setTraceProcessors, Usage } = await import('@openai/agents');
    setTraceProcessors([]);
    const output = [
      {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'x' }],
      },
    ];
    const model = { getResponse: async () => ({ usage: new Usage(), output, responseId: 'r' }) };
    const agent = new Agent({ name: 'a', model });
    const runner = new Runner({ groupId: 'one' });
    return () => runner.run(agent, 'hello');
  },
  async mastra() {
    const { Agent } = await import('@mastra/core/agent');
    const { Mastra } = await import('@mastra/core/mastra');
    const agent = new Agent({ id: 'a', name: 'a', instructions: 'i', model: await mock() });
    const mastra = new Mastra({ logger: false, agents: { a: agent } });
    return () => mastra.getAgent('a').generate('hello', { memory: { thread: 'one', resource: 'r' } });
  },
  async mcp() {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js');
    const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
    const server = new McpServer({ name: 's', version: '1' });
    server.registerTool('add', { description: 'd' }, async () => ({
      content: [{ type: 'text', text: '1' }],
    }));
    const [here, there] = InMemoryTransport.createLinkedPair();
    await server.connect(there);
    const client = new Client({ name: 'c', version: '1' });
    await client.connect(here);
    return () => client.callTool({ name: 'add', arguments: {} });
  },
};

const name = process.argv[2];
const calls = Number(process.env.CALLS ?? 1000);
if (!process.env.NO_WAIT) await waitFor(name);
// The host loads its parts in the first seconds; that is start-up and not the cost of a call.
await new Promise((done) => setTimeout(done, 3000));
const call = await makers[name]();
for (let i = 0; i < calls / 2; i += 1) await call();
const before = await floor();
const cpu = process.cpuUsage();
for (let i = 0; i < calls / 2; i += 1) await call();
const { user, system } = process.cpuUsage(cpu);
const after = await floor();
console.log(
  JSON.stringify({
    cpuMsPerCall: (user + system) / 1000 / (calls / 2),
    bytesPerCall: Math.round((after - before) / (calls / 2)),
  }),
);
process.exit(0);
