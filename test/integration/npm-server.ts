import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { startGroup } from '../process-group.ts';

/** Starts a server that somebody else wrote and npm installed, with a page to ask for, and an IPC channel. */
export function startNpmServer(cwd: string, nodeFlags: readonly string[] = []): ChildProcess {
  writeFileSync(join(cwd, 'index.html'), '<h1>hello</h1>');
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');
  const serve = [vite, '--port', '0', '--host', '127.0.0.1'];
  return startGroup(process.execPath, ['--inspect-port=0', ...nodeFlags, ...serve], {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' },
  });
}

/** Where it listens, once it says so. */
export function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((found) => {
    let text = '';
    server.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(text)?.[0];
      if (url !== undefined) found(url);
    });
  });
}
