// The development server of LangGraph: its command starts the server in a child, which gets our preload by NODE_OPTIONS as under `run`.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const cwd = join(import.meta.dirname, '../langgraph');
const cli = join(cwd, 'node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs');
const port = await new Promise((done) => {
  const probe = createServer().listen(0, () => {
    const { port: free } = probe.address();
    probe.close(() => done(free));
  });
});
const preload = process.execArgv.join(' ').replaceAll('--import ', '--import=');
const server = spawn(process.execPath, [cli, 'dev', '--port', String(port), '--no-browser'], {
  cwd,
  env: { ...process.env, NODE_OPTIONS: preload, LANGSMITH_TRACING: 'false' },
  stdio: ['ignore', 'ignore', 'pipe'],
});
server.stderr.pipe(process.stderr);
const url = `http://127.0.0.1:${port}`;
for (let tries = 0; tries < 600; tries += 1) {
  try {
    await fetch(`${url}/ok`);
    break;
  } catch {
    await sleep(100);
  }
}
const post = async (path, body) => {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
};
for (let i = 0; i < 5; i += 1) {
  const { thread_id: thread } = await post('/threads', {});
  const input = { question: `turn ${i}` };
  console.log(JSON.stringify(await post(`/threads/${thread}/runs/wait`, { assistant_id: 'agent', input })));
}
const ended = new Promise((done) => server.once('exit', (code, signal) => done(code ?? signal)));
server.kill('SIGTERM');
console.log('exit', await ended);
