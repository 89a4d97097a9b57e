// Three sessions of an MCP server: a tool whose agent uses a tool of its own, a tool that fails, and calls that are given up. The sessions end.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { generateText, isStepCount, tool } from 'ai';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { aiModel } from '@plimsoll/testkit/mocks';
import { connected, current, open, waitFor } from './scopes.mjs';

await waitFor('ai');
const opened = await connected('mcp');
const inside = [];
const inputSchema = z.object({});
const search = tool({
  description: 'd',
  inputSchema,
  execute: async () => (inside.push(current()), 'found'),
});
const said = (text) => ({ content: [{ type: 'text', text }] });
const begun = Promise.withResolvers();

function serverOf() {
  const server = new McpServer({ name: 's', version: '1' });
  server.registerTool('ask', { description: 'd' }, async () => {
    inside.push(current());
    const { text } = await generateText({
      model: aiModel({ text: 'done', chunks: 1, tools: [{ name: 'search', input: {} }] }),
      prompt: 'p',
      tools: { search },
      stopWhen: isStepCount(3),
      telemetry: { functionId: 'researcher' },
    });
    return said(text);
  });
  server.registerTool('fails', { description: 'd' }, async () => {
    throw new Error('planned');
  });
  server.registerTool('waits', { description: 'd' }, async ({ signal }) => {
    begun.resolve();
    await new Promise((done) => signal.addEventListener('abort', done, { once: true }));
    return said('given up');
  });
  return server;
}

const transports = new Map();
const http = createServer(async (request, response) => {
  const id = request.headers['mcp-session-id'];
  let transport = id === undefined ? undefined : transports.get(id);
  if (transport === undefined) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (made) => transports.set(made, transport),
    });
    transport.onclose = () => transports.delete(transport.sessionId);
    await serverOf().connect(transport);
  }
  await transport.handleRequest(request, response);
}).listen(0, '127.0.0.1');
await new Promise((done) => http.once('listening', done));

const ids = [];
async function session(work) {
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${http.address().port}/mcp`));
  const client = new Client({ name: 'c', version: '1' });
  await client.connect(transport);
  ids.push(transport.sessionId);
  await work(client);
  await transport.terminateSession();
  await client.close();
}
const answers = [];
const call = async (client, name, options) => {
  const { content, isError } = await client.callTool({ name, arguments: {} }, undefined, options);
  answers.push([isError ?? false, content[0].text]);
};
await session((client) => call(client, 'ask'));
await session((client) => call(client, 'fails'));
await session(async (client) => {
  const abort = new AbortController();
  const given = call(client, 'waits', { signal: abort.signal }).catch(() => answers.push(['given up']));
  await begun.promise;
  abort.abort();
  await given;
});
const left = await open(0);
http.close();
http.closeAllConnections();
// The name of a session is made of its id.
const named = (path) => path.replace(/session:[\w-]+/, (name) => `session:${names.indexOf(name) + 1}`);
const names = [...new Set(opened.flatMap((path) => path.match(/session:[\w-]+/) ?? []))];
const told = opened.filter((path) => !/request:(?:GET|DELETE|POST) mcp$/.test(path)).map(named);
console.log(
  JSON.stringify({ opened: told, inside: inside.map(named), answers, left, transports: transports.size }),
);
process.exit(0);
