// An MCP server with sessions, as the SDK's own examples write it. It does not know Plimsoll.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const transports = new Map();

async function begin() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => transports.set(id, transport),
  });
  transport.onclose = () => transports.delete(transport.sessionId);
  const mcp = new McpServer({ name: 'example', version: '1.0.0' });
  mcp.registerTool(
    'add',
    { description: 'Adds.', inputSchema: { a: z.number(), b: z.number() } },
    ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
    }),
  );
  await mcp.connect(transport);
  return transport;
}

async function handle(request, response) {
  const id = request.headers['mcp-session-id'];
  const transport = id === undefined ? await begin() : transports.get(id);
  if (transport === undefined) response.writeHead(404).end();
  else await transport.handleRequest(request, response);
}

const server = createServer((request, response) => void handle(request, response));
server.listen(Number(process.env.PORT ?? 3000), () =>
  console.log(`http://127.0.0.1:${server.address().port}/mcp`),
);
