// The usual MCP server of the SDK's own examples: a map of transports by session, emptied by onclose. Clients never send DELETE.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { InMemoryEventStore } from '@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const slots = () => globalThis[Symbol.for('plimsoll.slots.v1')];
while (process.env.WAITS && !slots()?.frameworks?.connected.has('mcp'))
  await new Promise((done) => setTimeout(done, 10));
const paths = () => [...(slots()?.scopes?.roster.open ?? [])].map((scope) => scope.path);

const transports = new Map();
const eventStore = new InMemoryEventStore();
const inside = [];

function serverOf() {
  const server = new McpServer({ name: 'test', version: '1.0.0' });
  server.registerTool(
    'add',
    { description: 'adds', inputSchema: { a: z.number(), b: z.number() } },
    async ({ a, b }) => {
      inside.push(slots()?.scopes?.currentScope().path);
      return { content: [{ type: 'text', text: String(a + b) }] };
    },
  );
  return server;
}

const http = createServer(async (request, response) => {
  const id = request.headers['mcp-session-id'];
  let transport = id === undefined ? undefined : transports.get(id);
  if (id !== undefined && transport === undefined) return void response.writeHead(404).end();
  if (transport === undefined) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      ...(process.env.EVENTS && { eventStore }),
      onsessioninitialized: (made) => transports.set(made, transport),
    });
    transport.onclose = () => transports.delete(transport.sessionId);
    await serverOf().connect(transport);
  }
  await transport.handleRequest(request, response);
});
http.listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${http.address().port}/mcp`;
  const post = async (body, id) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(id && { 'mcp-session-id': id }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    });
    const text = await response.text();
    return { id: response.headers.get('mcp-session-id'), status: response.status, text };
  };
  const ids = [];
  for (let i = 0; i < Number(process.env.SESSIONS ?? 3); i += 1) {
    const { id } = await post({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    });
    await post({ method: 'notifications/initialized' }, id);
    const { text } = await post(
      { id: 2, method: 'tools/call', params: { name: 'add', arguments: { a: i, b: 1 } } },
      id,
    );
    if (!text.includes(`"${i + 1}"`)) throw new Error(text);
    ids.push(id);
  }
  const during = {
    transports: transports.size,
    sessions: paths().filter((path) => /^process\/session:[^/]+$/.test(path)).length,
  };
  for (let i = 0; process.env.UNTIL_EMPTY && i < 2000 && transports.size > 0; i += 1)
    await new Promise((done) => setTimeout(done, 20));
  const { status } = process.env.UNTIL_EMPTY ? await post({ id: 3, method: 'ping' }, ids[0]) : { status: 0 };
  await new Promise((done) => setTimeout(done, 50));
  console.log(
    JSON.stringify({
      during,
      inside,
      left: transports.size,
      status,
      open: paths(),
      ids: ids.length,
      events: eventStore.events.size,
    }),
  );
  http.close();
  http.closeAllConnections();
});
