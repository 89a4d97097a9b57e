import { fork, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Wanted } from './clients.ts';

const root = resolve(import.meta.dirname, '../..');
const source = '--conditions=plimsoll-source';
const probe = resolve(root, 'bench/overhead/probe.ts');
const preload = resolve(root, 'packages/host/src/register.ts');

/** The governed example server, in a folder of its own. */
export class GovernedServer {
  readonly base: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, base: string) {
    this.#child = child;
    this.base = base;
  }

  static async start(dir: string): Promise<GovernedServer> {
    const entry = resolve(root, 'examples/agent-server/src/main.ts');
    const flags = ['--port', '0', '--token-ms', '0', '--tool-ms', '0', '--idle', '2s'];
    const child = spawn(process.execPath, [source, '--import', probe, '--import', preload, entry, ...flags], {
      cwd: dir,
      env: { ...process.env, PLIMSOLL_DIR: join(dir, '.plimsoll') },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    return new GovernedServer(child, await addressOf(child));
  }

  /** User and system time of the whole process so far, worker threads included. */
  async cpuMs(): Promise<number> {
    const answer = once(this.#child, 'message');
    this.#child.send('cpu');
    const [{ cpuUs }] = (await answer) as [{ cpuUs: NodeJS.CpuUsage }];
    return (cpuUs.user + cpuUs.system) / 1000;
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exit;
  }
}

/** `plimsoll serve` over a folder. */
export class Dashboard {
  readonly address: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, address: string) {
    this.#child = child;
    this.address = address;
  }

  static async start(dir: string, ...args: readonly string[]): Promise<Dashboard> {
    const cli = resolve(root, 'packages/plimsoll/src/cli.ts');
    const child = spawn(process.execPath, [source, cli, 'serve', '--json', '--port', '0', ...args], {
      cwd: dir,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return new Dashboard(child, await addressOf(child));
  }

  rssMiB(): number {
    return rssMiB(this.#child.pid as number);
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exit;
  }
}

/** Pages that are open, in a process of their own. */
export class Clients {
  readonly #child = fork(resolve(import.meta.dirname, 'clients.ts'), { execArgv: [] });

  /** Opens or closes pages until so many are open; resolves when they are. */
  async set(wanted: Wanted): Promise<void> {
    const answer = once(this.#child, 'message');
    this.#child.send(wanted);
    await answer;
  }

  stop(): void {
    this.#child.disconnect();
  }
}

/** The resident memory of a process, from the kernel. */
export function rssMiB(pid: number): number {
  const found = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(found) / 1024;
}

async function addressOf(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`A server ended with exit code ${code} before it listened.`);
  });
  const [line] = (await Promise.race([once(lines, 'line'), died])) as [string];
  died.catch(() => {});
  const address = /http:\/\/[\d.]+:\d+/.exec(line)?.[0];
  if (address === undefined) throw new Error(`A server said "${line}" instead of its address.`);
  return address;
}
