import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { row } from '../row.ts';
import type { Benchmark } from '../row.ts';

const cli = resolve(import.meta.dirname, '../../packages/plimsoll/src/cli.ts');
const run = promisify(execFile);

/** What attaching leaves of the pace of a server from npm: the time of a request after `attach` has let go, beside the one before it came. */
const attach: Benchmark = async ({ quick, log }) => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-attach-bench-'));
  writeFileSync(join(dir, 'index.html'), '<h1>hello</h1>');
  const server = startServer(dir);
  try {
    const address = await addressOf(server);
    const requests = quick ? 200 : 1000;
    for (let i = 0; i < 3; i++) await requestMs(address, requests);
    const [before, after]: [number[], number[]] = [[], []];
    for (let i = 0; i < (quick ? 2 : 9); i++) {
      before.push(await requestMs(address, requests));
      log(`attach: ${i + 1}`);
      const looking = ['attach', String(server.pid), '--for', '1s', '--snapshot', '--json', '--force'];
      await run(process.execPath, ['--conditions=plimsoll-source', cli, ...looking]);
      after.push(await requestMs(address, requests));
    }
    return [
      row({
        metric: 'a request after attach has let go',
        unit: 'ms',
        samples: after,
        peer: { name: 'before it came', samples: before },
        goal: { atMost: 1.2 },
      }),
    ];
  } finally {
    server.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  }
};

export default attach;

function startServer(cwd: string): ChildProcess {
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');
  return spawn(process.execPath, ['--inspect-port=0', vite, '--port', '0', '--host', '127.0.0.1'], {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' },
  });
}

function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((found) => {
    let text = '';
    server.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(text)?.[0];
      if (url !== undefined) found(url);
    });
  });
}

/** Mean time of so many requests on end. */
async function requestMs(address: string, count: number): Promise<number> {
  const started = performance.now();
  for (let i = 0; i < count; i++) await (await fetch(address)).text();
  return (performance.now() - started) / count;
}
