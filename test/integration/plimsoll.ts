/** Runs the command line as a real process, unbuilt, in a folder of its own. */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { endGroup, startGroup } from '../process-group.ts';

export { untilRead } from '../../packages/plimsoll/src/run/program.fixture.ts';

export const cli: string = resolve(import.meta.dirname, '../../packages/plimsoll/src/cli.ts');
export const root: string = resolve(import.meta.dirname, '../..');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the output so far matches. */
  seen(pattern: RegExp): Promise<RegExpMatchArray>;
}

export function workFolder(files: Readonly<Record<string, string>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-it-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

export function plimsoll(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Running {
  const child = startGroup(process.execPath, ['--conditions=plimsoll-source', cli, ...args], {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      out[name] += chunk;
      for (const check of waiting) check();
    });
  }
  const ended = new Promise<Ended>((done) => {
    child.once('close', (code, signal) => done({ code, signal, ...out }));
  });
  const seen = (pattern: RegExp): Promise<RegExpMatchArray> =>
    new Promise((done, fail) => {
      const check = (): void => {
        const match = `${out.stdout}${out.stderr}`.match(pattern);
        if (match === null) return;
        waiting.delete(check);
        done(match);
      };
      waiting.add(check);
      void ended.then((end) => fail(new Error(`ended before ${pattern}: ${JSON.stringify(end)}`)));
      check();
    });
  return { child, ended, seen };
}

/** A folder from which our packages can be imported, and the commands that run in it; with it they end. */
export class Site implements AsyncDisposable {
  readonly dir: string;
  readonly #started: Running[] = [];

  constructor(files: Readonly<Record<string, string>>) {
    this.dir = workFolder(files);
    symlinkSync(join(root, 'node_modules'), join(this.dir, 'node_modules'));
  }

  plimsoll(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
    const running = plimsoll(args, this.dir, env);
    this.#started.push(running);
    return running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#started) if (child.exitCode === null) child.kill('SIGTERM');
    // A command that does not end when asked must not keep the test from ending.
    const late = setTimeout(() => {
      for (const { child } of this.#started) endGroup(child);
    }, 20_000);
    await Promise.all(this.#started.map(({ ended }) => ended));
    clearTimeout(late);
    for (const { child } of this.#started) endGroup(child);
    rmSync(this.dir, { recursive: true, force: true });
  }
}
