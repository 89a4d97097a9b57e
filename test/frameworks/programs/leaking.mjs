// A server's work that leaks in one of the ways that are known of the frameworks, at a steady pace, until it is ended.
import { randomUUID } from 'node:crypto';

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

async function speaker(chunks) {
  const { simulateReadableStream } = await import('ai');
  const { MockLanguageModelV4 } = await import('ai/test');
  const model = new MockLanguageModelV4({
    doStream: async () => {
      model.doStreamCalls.length = 0;
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  });
  return model;
}

const words = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '1' },
  ...Array.from({ length: 50 }, (_, i) => ({ type: 'text-delta', id: '1', delta: `word ${i} ` })),
  { type: 'text-end', id: '1' },
  { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
];

async function sayer(options) {
  const { Annotation, END, START, StateGraph } = await import('@langchain/langgraph');
  return new StateGraph(Annotation.Root({ text: Annotation() }))
    .addNode('say', async ({ text }) => ({ text: `${text}!` }))
    .addEdge(START, 'say')
    .addEdge('say', END)
    .compile(options);
}

/** Per leak the calls per second and how one call is made. */
const leaks = {
  async 'ai-left'() {
    const { streamText } = await import('ai');
    const model = await speaker(words);
    const shutdown = new AbortController();
    const call = async () => {
      const result = streamText({ model, prompt: 'hello', abortSignal: shutdown.signal, onError() {} });
      for await (const _ of result.textStream) break;
    };
    return { perSecond: 10, call };
  },
  async 'langgraph-signal'() {
    const graph = await sayer();
    const shutdown = new AbortController();
    return { perSecond: 100, call: () => graph.invoke({ text: 'go' }, { signal: shutdown.signal }) };
  },
  async 'memory-saver'() {
    const { MemorySaver } = await import('@langchain/langgraph');
    const graph = await sayer({ checkpointer: new MemorySaver() });
    const call = () =>
      graph.invoke({ text: 'go '.repeat(1000) }, { configurable: { thread_id: randomUUID() } });
    return { perSecond: 25, call };
  },
  async 'mastra-unstarted'() {
    const { Mastra } = await import('@mastra/core/mastra');
    const { createStep, createWorkflow } = await import('@mastra/core/workflows');
    const { z } = await import('zod');
    const object = z.object({});
    const step = createStep({
      id: 's',
      inputSchema: object,
      outputSchema: object,
      execute: async () => ({}),
    });
    const flow = createWorkflow({ id: 'flow', inputSchema: object, outputSchema: object })
      .then(step)
      .commit();
    const mastra = new Mastra({ logger: false, workflows: { flow } });
    return { perSecond: 40, call: () => mastra.getWorkflow('flow').createRun() };
  },
  async 'mastra-suspended'() {
    const { Agent } = await import('@mastra/core/agent');
    const { Mastra } = await import('@mastra/core/mastra');
    const { createTool } = await import('@mastra/core/tools');
    const { z } = await import('zod');
    const model = await speaker([
      { type: 'stream-start', warnings: [] },
      { type: 'tool-call', toolCallId: 'c', toolName: 'pay', input: '{}' },
      { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool-calls' }, usage },
    ]);
    const pay = createTool({
      id: 'pay',
      description: 'd',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: async () => ({ paid: true }),
    });
    const agent = new Agent({ id: 'a', name: 'a', instructions: 'i', model, tools: { pay } });
    const mastra = new Mastra({ logger: false, agents: { a: agent } });
    const call = async () => {
      const output = await mastra.getAgent('a').stream(`${randomUUID()} ${'x'.repeat(10_000)}`);
      for await (const chunk of output.fullStream) if (chunk.type === 'tool-call-approval') break;
    };
    return { perSecond: 6, call };
  },
  async 'mcp-sessions'() {
    const { createServer } = await import('node:http');
    const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
    const { StreamableHTTPServerTransport } =
      await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
    const transports = new Map();
    const http = createServer(async (request, response) => {
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => transports.set(id, transport),
      });
      transport.onclose = () => transports.delete(transport.sessionId);
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      server.registerTool('add', { description: 'adds' }, async () => ({ content: [] }));
      await server.connect(transport);
      await transport.handleRequest(request, response);
    }).listen(0, '127.0.0.1');
    await new Promise((done) => http.once('listening', done));
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    };
    const call = async () => {
      const response = await fetch(`http://127.0.0.1:${http.address().port}/`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
      });
      await response.text();
    };
    return { perSecond: 12, call };
  },
};

process.once('SIGTERM', () => process.exit(0));
const { perSecond, call } = await leaks[process.argv[2]]();
const startedAt = performance.now();
for (let made = 0; ; made += 1) {
  await call();
  const dueMs = startedAt + (made * 1000) / perSecond - performance.now();
  if (dueMs > 0) await new Promise((done) => setTimeout(done, dueMs));
}
