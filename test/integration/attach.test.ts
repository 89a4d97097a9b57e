import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { listeningPorts } from '../../packages/plimsoll/src/attach/process-facts.ts';
import { plimsoll } from './plimsoll.ts';

/** Tells over IPC what the program has registered with its process, so that before and after can be compared. */
const reporter = `process.on('message', () => process.send({
  listeners: Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)])),
  execArgv: process.execArgv, globals: Object.getOwnPropertyNames(globalThis).length,
}));`;

interface State {
  readonly listeners: Record<string, number>;
  readonly globals: number;
}

/** Mean time of a request, over two hundred on end. */
async function requestMs(address: string): Promise<number> {
  const started = performance.now();
  for (let i = 0; i < 200; i++) await (await fetch(address)).text();
  return (performance.now() - started) / 200;
}

test(
  'attaching to a server from npm and letting go leaves its ports, listeners and answers as they were',
  { timeout: 60_000 },
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'plimsoll-attach-it-'));
    writeFileSync(join(dir, 'index.html'), '<h1>hello</h1>');
    const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');
    const server = spawn(
      process.execPath,
      [
        '--inspect-port=0',
        `--import=data:text/javascript,${encodeURIComponent(reporter)}`,
        vite,
        '--port',
        '0',
        '--host',
        '127.0.0.1',
      ],
      {
        cwd: dir,
        stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
        env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' },
      },
    );
    try {
      const address = await new Promise<string>((found) => {
        let text = '';
        server.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(text)?.[0];
          if (url !== undefined) found(url);
        });
      });
      const ask = (): Promise<State> =>
        new Promise((answer) => {
          server.once('message', (state) => answer(state as State));
          server.send('state');
        });
      expect((await fetch(address)).status).toBe(200);
      const pid = server.pid as number;
      const before = { ...(await ask()), ports: [...listeningPorts(pid)] };
      await requestMs(address);
      const pace = await requestMs(address);
      const end = await plimsoll(
        ['attach', String(pid), '--for', '1s', '--snapshot', '--json', '--force'],
        dir,
      ).ended;
      expect(end.code).toBe(0);
      const report = JSON.parse(end.stdout) as {
        readings: { last: { heapUsed: number } };
        proof: { snapshots: unknown[] };
      };
      expect(report.readings.last.heapUsed).toBeGreaterThan(1e6);
      expect(report.proof.snapshots).toHaveLength(1);
      expect({ ...(await ask()), ports: [...listeningPorts(pid)] }).toEqual(before);
      expect((await fetch(address)).status).toBe(200);
      // Throughput is back: with a profiler left on, allocation stacks alone would make it fourteen times as slow.
      const after = [await requestMs(address), await requestMs(address), await requestMs(address)];
      expect(Math.min(...after) / pace).toBeLessThan(3);
    } finally {
      server.kill('SIGKILL');
    }
  },
);
