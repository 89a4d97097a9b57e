// The MCP everything server over HTTP and a client that leaves without DELETE; the server runs in a process of its own.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const port = await new Promise((done) => {
  const probe = createServer().listen(0, () => {
    const { port: free } = probe.address();
    probe.close(() => done(free));
  });
});
const require = createRequire(import.meta.url);
const entry = join(
  dirname(require.resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);
const server = spawn(process.execPath, [...process.execArgv, entry, 'streamableHttp'], {
  env: { ...process.env, PORT: String(port) },
  stdio: 'ignore',
});
const url = new URL(`http://127.0.0.1:${port}/mcp`);
for (let tries = 0; tries < 300; tries += 1) {
  try {
    await fetch(url);
    break;
  } catch {
    await sleep(100);
  }
}
for (let i = 0; i < 5; i += 1) {
  const client = new Client({ name: 'stranger', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(url));
  const { content } = await client.callTool({ name: 'echo', arguments: { message: `turn ${i}` } });
  console.log(JSON.stringify(content));
  await client.close();
}
const ended = new Promise((done) => server.once('exit', (code) => done(code)));
server.kill('SIGINT');
console.log('exit', await ended);
