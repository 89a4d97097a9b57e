import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { PlimsollError } from '@plimsoll/core';
import { flagsFor, moduleBeside } from '@plimsoll/core/internal/own-module';
import type { Io } from '../io.ts';
import type { OperatorLog } from './operator-log.ts';
import type { ServingNews, ServingRequest } from '../server/serving-process.ts';

const firstPauseMs = 1000;
const longestPauseMs = 60_000;
const endMs = 3000;

/**
 * The dashboard of a run: a process beside the supervisor, whose duties (restart, drain, report) therefore never wait for the web server. A
 * dead server is started again on the same port.
 */
class Dashboard implements AsyncDisposable {
  readonly #request: ServingRequest;
  readonly #io: Io;
  readonly #log: OperatorLog;
  #child: ChildProcess | undefined;
  #pause: NodeJS.Timeout | undefined;
  #failures = 0;
  #isEnding = false;

  constructor(request: ServingRequest, io: Io, log: OperatorLog) {
    this.#request = request;
    this.#io = io;
    this.#log = log;
  }

  /** Starts the server and resolves to its address. Rejects with the error of the server. */
  start(port: number): Promise<{ readonly address: string; readonly open: string }> {
    const entry = moduleBeside('../server/serving-process', import.meta.url);
    const child = fork(fileURLToPath(entry), {
      execArgv: flagsFor(entry),
      cwd: this.#io.cwd,
      env: { ...this.#io.env, NODE_OPTIONS: '', PLIMSOLL: 'off' } as NodeJS.ProcessEnv,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    const { promise, resolve, reject } = Promise.withResolvers<{ address: string; open: string }>();
    child.on('message', (news: ServingNews) => {
      if (news.kind === 'collector') this.#log.say('collector', news.text);
      else if (news.kind === 'failed') reject(new PlimsollError(news.code, news));
      else {
        resolve(news);
        this.#failures = 0;
        child.once('exit', (code, signal) => this.#died(Number(new URL(news.address).port), code, signal));
      }
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`the dashboard ended with ${signal ?? code}`)));
    child.send({ ...this.#request, port } satisfies ServingRequest);
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#pause);
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    if (child.connected) child.disconnect();
    const late = setTimeout(() => child.kill('SIGKILL'), endMs);
    await ended;
    clearTimeout(late);
  }

  #died(port: number, code: number | null, signal: string | null): void {
    if (this.#isEnding) return;
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** this.#failures++);
    this.#log.say('dashboard', `ended with ${signal ?? code}; it is started again in ${pauseMs / 1000} s`);
    this.#pause = setTimeout(() => {
      this.start(port).catch(() => this.#died(port, null, null));
    }, pauseMs).unref();
  }
}

/** The dashboard of a run: it starts before the program, so that its address is printed first. */
export async function startDashboard(
  port: string,
  dir: string,
  io: Io,
  log: OperatorLog,
): Promise<AsyncDisposable> {
  const { parsePort, otlpOf } = await import('../server/serve-options.ts');
  const isTerminal = io.stderr.isTTY === true;
  const number = parsePort(port, '--status');
  const dashboard = new Dashboard(
    { dir, port: number, portOption: '--status', otlp: otlpOf(undefined, io), isTerminal },
    io,
    log,
  );
  const { open } = await dashboard.start(number);
  const note = isTerminal ? '' : ' (opens once, within 10 minutes; "plimsoll open" makes another link)';
  io.stderr.write(`plimsoll: dashboard at ${open}${note}\n`);
  return dashboard;
}
