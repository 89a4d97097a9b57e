// A client of the MCP everything server over stdio: what it lists and what one of its tools answers.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const require = createRequire(import.meta.url);
const entry = join(
  dirname(require.resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);
const args = [...process.execArgv, entry, 'stdio'];
const transport = new StdioClientTransport({
  command: process.execPath,
  args,
  env: process.env,
  stderr: 'ignore',
});
const client = new Client({ name: 'stranger', version: '1' });
await client.connect(transport);
const { tools } = await client.listTools();
console.log(
  tools
    .map(({ name }) => name)
    .sort()
    .join(' '),
);
for (let i = 0; i < 5; i += 1) {
  const { content } = await client.callTool({ name: 'echo', arguments: { message: `turn ${i}` } });
  console.log(JSON.stringify(content));
}
await client.close();
