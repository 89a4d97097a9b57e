import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Variant } from './variant.ts';

/** A measured server in its own process and directory. */
export class ServerProcess {
  readonly base: string;
  readonly #child: ChildProcess;
  readonly #dir: string;

  private constructor(child: ChildProcess, dir: string, base: string) {
    this.#child = child;
    this.#dir = dir;
    this.base = base;
  }

  static async start(variant: Variant): Promise<ServerProcess> {
    const dir = mkdtempSync(join(tmpdir(), 'plimsoll-overhead-'));
    // The example's server knows these flags; the chat server takes none.
    const isExample = variant.group !== 'sdk';
    const flags = isExample ? ['--port', '0', '--idle', '2s', ...variant.pace.flags] : [];
    const child = spawn(process.execPath, [...variant.node, ...variant.entry, ...flags], {
      cwd: dir,
      env: { ...process.env, PLIMSOLL_DIR: join(dir, '.plimsoll') },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const died = once(child, 'exit').then(([code]) => {
      throw new Error(`The ${variant.name} server ended with exit code ${code} before it listened.`);
    });
    const [line] = (await Promise.race([once(lines, 'line'), died])) as [string];
    died.catch(() => {});
    const base = /http:\S+/.exec(line)?.[0];
    if (base === undefined)
      throw new Error(`The ${variant.name} server said "${line}" instead of its address.`);
    return new ServerProcess(child, dir, base);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** User and system time of the whole process so far, worker threads included. */
  async cpuMs(): Promise<number> {
    const answer = once(this.#child, 'message');
    this.#child.send('cpu');
    const [{ cpuUs }] = (await answer) as [{ cpuUs: NodeJS.CpuUsage }];
    return (cpuUs.user + cpuUs.system) / 1000;
  }

  /** Stands still until `resume`: a server that is not measured takes nothing from the one that is. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    this.resume();
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exit;
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
