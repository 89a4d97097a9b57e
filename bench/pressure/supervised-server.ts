import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BuiltPrograms } from './built-programs.ts';
import type { Scenario } from './scenario.ts';
import type { StartOrder, Variant } from './variant.ts';

/** One end of the server that nobody here asked for: a death. A governed one is started anew by `plimsoll run` after a planned drain. */
export interface End {
  /** Ms since the first start. */
  readonly at: number;
  readonly code: number | null;
  readonly signal: string | null;
}

/** A server under the simplest supervisor there is: started again at once on the same port, or left dead. */
export class SupervisedServer {
  readonly base: string;
  readonly dir: string;
  readonly ends: End[] = [];
  readonly #variant: Variant;
  readonly #order: StartOrder;
  readonly #startedAt = performance.now();
  #child: ChildProcess | undefined;
  #isStopping = false;
  #peakBytes = 0;

  private constructor(variant: Variant, order: StartOrder) {
    this.#variant = variant;
    this.#order = order;
    this.base = `http://127.0.0.1:${order.port}`;
    this.dir = mkdtempSync(join(tmpdir(), 'plimsoll-pressure-'));
  }

  static async start(
    variant: Variant,
    scenario: Scenario,
    programs: BuiltPrograms,
  ): Promise<SupervisedServer> {
    const ports = { port: await freePort(), statusPort: await freePort() };
    const server = new SupervisedServer(variant, { scenario, programs, ...ports });
    await server.#spawn();
    return server;
  }

  /** Where the supervisor's own routes are; null when there is none. */
  get supervisor(): string | null {
    return this.#variant.policy === undefined ? null : `http://127.0.0.1:${this.#order.statusPort}`;
  }

  get ledgerDir(): string {
    return join(this.dir, '.plimsoll', 'ledger');
  }

  /** Most live bytes that the probe of an unbound server told. */
  get peakBytes(): number {
    return this.#peakBytes;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const deadline = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(deadline);
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  async #spawn(): Promise<void> {
    const { policy, isUnbound } = this.#variant;
    const flags = this.#variant.command(this.#order);
    const { NODE_OPTIONS: _, ...env } = process.env;
    const errors = openSync(join(this.dir, 'stderr.txt'), 'a');
    const child = spawn(process.execPath, [...(isUnbound === true ? ['--import', probe] : []), ...flags], {
      cwd: this.dir,
      env: {
        ...env,
        PLIMSOLL_DIR: join(this.dir, '.plimsoll'),
        ...(policy === undefined ? {} : { PLIMSOLL_POLICY: policy }),
      },
      stdio: ['ignore', 'pipe', errors, 'ipc'],
    });
    closeSync(errors);
    this.#child = child;
    child.on('message', ({ bytes }: { bytes: number }) => {
      this.#peakBytes = Math.max(this.#peakBytes, bytes);
    });
    child.on('exit', (code, signal) => this.#ended(code, signal));
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const died = once(child, 'exit').then(([code]) => {
      throw new Error(
        `the ${this.#variant.name} server ended with exit code ${String(code)} before it listened`,
      );
    });
    await Promise.race([once(lines, 'line'), died]);
    died.catch(() => {});
  }

  #ended(code: number | null, signal: string | null): void {
    if (this.#isStopping) return;
    const at = performance.now() - this.#startedAt;
    this.ends.push({ at, code, signal });
    // A process that dies while it starts is tried again like any other.
    if (this.#variant.restarts) this.#spawn().catch(() => undefined);
  }
}

const probe = join(import.meta.dirname, 'demand-probe.ts');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
