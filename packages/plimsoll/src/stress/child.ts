import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { failure } from '@plimsoll/core/internal/errors';
import type { Capture } from '@plimsoll/leak/internal/proof/growth-record';
import { flagsFor, moduleBeside } from '@plimsoll/core/internal/own-module';
import type { Life } from '../run/life.ts';
import { live } from '../run/life.ts';
import { launchOf } from '../run/launch.ts';
import type { Report } from '../run/report.ts';
import { reportOn } from '../run/report-on.ts';
import { SeriesRecorder } from '../run/series.ts';
import type { Target } from '../run/target.ts';
import { HttpClient } from './http-client.ts';
import { socketVariable } from './inside/protocol.ts';
import type { Measure } from './inside/protocol.ts';
import { InsideLink } from './link.ts';
import { step } from './recipe.ts';

/** The subject of the stress: a command that serves HTTP, or a module that is called. */
export type StressSubject =
  | { readonly kind: 'server'; readonly command: readonly [string, ...string[]]; readonly url: string | null }
  | { readonly kind: 'module'; readonly file: string };

interface ChildOptions {
  readonly subject: StressSubject;
  readonly cwd: string;
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limitBytes: number | null;
  /** Whether snapshots are taken to name the holder of growth, which takes time. */
  readonly isProved: boolean;
  readonly signal: AbortSignal;
}

const readyMs = 60_000;
const endMs = 40_000;
/** How long a found port waits for the port that the program was told to use. */
const otherPortMs = 1500;
const keptLines = 30;
const snapshotMs = 120_000;
/** Longest stop for a snapshot. A program under test may be stopped for longer than one in production. */
const maxPauseMs = 20_000;
const MiB = 1024 ** 2;

/** One child process under test, from its start to its report. */
export class StressChild {
  readonly link: InsideLink;
  readonly recorder: SeriesRecorder;
  readonly #options: ChildOptions;
  readonly #target: Target;
  readonly #life: Promise<Life>;
  readonly #output: string[] = [];
  #hasEnded = false;
  readonly #port: string;
  #firstHeardAt: number | undefined;
  #base = '';
  #pid = 0;

  private constructor(
    options: ChildOptions,
    link: InsideLink,
    target: Target,
    life: Promise<Life>,
    recorder: SeriesRecorder,
    port: string,
  ) {
    this.#options = options;
    this.recorder = recorder;
    this.#port = port;
    this.link = link;
    this.#target = target;
    this.#life = life;
    for (const stream of target.output)
      createInterface({ input: stream }).on('line', (line) => {
        this.#output.push(line);
        if (this.#output.length > keptLines) this.#output.shift();
      });
    void target.ended.then(() => (this.#hasEnded = true));
  }

  /** Starts it and waits until it is ready. Throws a coded error when it never is. */
  static async start(options: ChildOptions): Promise<StressChild> {
    const link = await InsideLink.open();
    const recorder = new SeriesRecorder();
    const port = options.env['PORT'] ?? String(await freePort());
    const begun = Promise.withResolvers<Target>();
    const life = live({
      launch: launchFor(options, link, port),
      cwd: options.cwd,
      dir: options.dir,
      keepSnapshots: false,
      isJudged: options.isProved,
      onFrame: (frame) => recorder.take(frame),
      onAnalysis: () => undefined,
      onStart: (target) => begun.resolve(target),
    });
    life.catch((error: unknown) => begun.reject(error));
    let target: Target;
    try {
      target = await begun.promise;
    } catch (error) {
      link[Symbol.dispose]();
      throw error;
    }
    const child = new StressChild(options, link, target, life, recorder, port);
    try {
      await child.#ready();
    } catch (error) {
      await child.end();
      throw error;
    }
    return child;
  }

  /** Address of the server; empty for a module. */
  get base(): string {
    return this.#base;
  }

  /** The process that is measured. */
  get pid(): number {
    return this.#pid;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Live memory; null when the process is gone or too busy to answer. */
  async measure(): Promise<Measure | null> {
    try {
      return await this.link.ask<Measure>(this.#pid, { op: 'measure' });
    } catch {
      return null;
    }
  }

  /** Makes the process write a snapshot into our folder; null when it cannot. */
  async snapshot(name: string): Promise<Capture | null> {
    const file = join(this.#options.dir, `${this.#pid}.${name}.heapsnapshot`);
    try {
      const taken = await this.link.ask<{ stopMs: number; heapBytes: number }>(
        this.#pid,
        { op: 'snapshot', file },
        snapshotMs,
      );
      return { file, at: Date.now(), ...taken };
    } catch {
      return null;
    }
  }

  get isProved(): boolean {
    return this.#options.isProved;
  }

  /** Ends the process in order, or by force when it does not end, and returns its report. */
  async end(): Promise<Report> {
    this.#target.signal('SIGTERM');
    const timer = setTimeout(() => this.#target.signal('SIGKILL'), endMs);
    const life = await this.#life;
    clearTimeout(timer);
    this.link[Symbol.dispose]();
    const { subject, dir } = this.#options;
    const name = subject.kind === 'server' ? subject.command.join(' ') : subject.file;
    return reportOn([life], name, dir, this.recorder.series);
  }

  async #ready(): Promise<void> {
    const { subject, signal } = this.#options;
    const until = Date.now() + readyMs;
    const name = subject.kind === 'server' ? subject.command.join(' ') : subject.file;
    while (Date.now() < until && !signal.aborted) {
      if (this.#hasEnded) break;
      if (subject.kind === 'module') {
        const [pid] = this.link.pids;
        if (pid !== undefined) {
          this.#pid = pid;
          return;
        }
      } else if (await this.#findAddress(subject.url)) return;
      await Promise.race([this.link.heard(500), delay(500)]);
    }
    throw failure('PLM_STRESS_NOT_READY', {
      command: name,
      isModule: subject.kind === 'module',
      hasEnded: this.#hasEnded,
      output: this.#saying(),
    });
  }

  /** The given address; else the port that the program was told to use; else, after a moment, the first port that answers. */
  async #findAddress(url: string | null): Promise<boolean> {
    const wanted = url === null ? undefined : new URL(url);
    const known = this.link.ports;
    const told = known.filter(({ port }) => port === Number(wanted?.port ?? this.#port));
    if (told.length === 0 && known.length > 0) this.#firstHeardAt ??= Date.now();
    const hasWaited = this.#firstHeardAt !== undefined && Date.now() - this.#firstHeardAt > otherPortMs;
    for (const { port, address, pid } of told.length > 0 || wanted !== undefined || !hasWaited
      ? told
      : known) {
      const host = /^(?:::|0\.0\.0\.0)?$/.test(address)
        ? '127.0.0.1'
        : address.includes(':')
          ? `[${address}]`
          : address;
      const base = wanted?.href ?? `http://${host}:${port}`;
      using client = new HttpClient(base, 1);
      const { status } = await client.call(step('GET', '/'), { timeoutMs: 2000 });
      if (status === 0) continue;
      this.#base = base;
      this.#pid = pid;
      return true;
    }
    return false;
  }

  /** The first lines of output about an error, else the last ones. */
  #saying(): string {
    const at = this.#output.findIndex((line) => /error|cannot|denied|refused/i.test(line));
    const lines = at < 0 ? this.#output.slice(-3) : this.#output.slice(at, at + 2);
    return lines.map((line) => line.trim()).join(' ');
  }
}

function launchFor(options: ChildOptions, link: InsideLink, port: string): ReturnType<typeof launchOf> {
  const { subject, env, dir, limitBytes } = options;
  const heap =
    limitBytes === null ? [] : [`--max-old-space-size=${Math.max(16, Math.round(limitBytes / MiB))}`];
  const settings = {
    dir,
    maxPauseMs: options.isProved ? maxPauseMs : ('off' as const),
    stdio: 'pipe' as const,
  };
  const inside = (name: string): URL => moduleBeside(`inside/${name}`, import.meta.url);
  if (subject.kind === 'module') {
    const main = inside('module-main');
    const command: [string, ...string[]] = [process.execPath, ...flagsFor(main), main.pathname, subject.file];
    return launchOf(command, { ...env, [socketVariable]: link.path }, { ...settings, nodeFlags: heap });
  }
  const register = inside('register');
  return launchOf(
    subject.command,
    { ...env, [socketVariable]: link.path, ...(subject.url === null ? { PORT: port } : {}) },
    { ...settings, nodeFlags: [...heap, `--import=${register.href}`] },
  );
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
