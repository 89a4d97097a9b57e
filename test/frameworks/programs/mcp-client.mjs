// Clients of an MCP server, in a process of their own: each message is a URL. A session begins there, calls the tool `wait`, and ends.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

process.on('message', async (url) => {
  const client = new Client({ name: 'c', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  // A session waits for as long as the others are looked at.
  await client.callTool({ name: 'wait', arguments: {} }, undefined, { timeout: 600_000 });
  await client.close();
  process.send(url);
});
process.once('disconnect', () => process.exit(0));
