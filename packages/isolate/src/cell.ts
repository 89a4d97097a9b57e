import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { failure } from '@plimsoll/core/internal/errors';
import { flagsFor, moduleBeside } from '@plimsoll/core/internal/own-module';
import { GuardReport } from './guard.ts';
import type { IsolateCall } from './isolate-call.ts';
import { deathError } from './isolate-error.ts';
import type { DeathCause, IsolateAutopsy } from './isolate-error.ts';
import { capsOf, envForTask, flagsForTask } from './isolate-options.ts';
import type { IsolateConfig } from './isolate-options.ts';
import { MemoryGroup } from './memory-group.ts';
import { StderrTail } from './stderr-tail.ts';
import { streamKeys, StreamPort, withStreams } from './stream-port.ts';
import { receivedError } from './wire.ts';
import type { FromTask, StreamMessage, ToTask } from './wire.ts';

const mainModule = moduleBeside('task-process', import.meta.url);
/** An idle process has this time to end before it is killed. */
const politeMs = 1000;
/**
 * Time for the last output after the exit of a process. The wait is bounded, because a child of that process may hold the pipe open for
 * ever.
 */
const lastOutputMs = 200;
/** Resident bytes of an empty process, for the control group. The guard measures its own base. */
const emptyBytes = 64 * 1024 ** 2;

interface CellEvents {
  /** Called when a task is over and the process can take another one. */
  readonly onFree: (cell: Cell) => void;
  /** Called when the process has ended. */
  readonly onEnd: (cell: Cell) => void;
}

interface Running {
  readonly call: IsolateCall;
  readonly task: number;
  readonly port: StreamPort;
  readonly startedMs: number;
  readonly timer: NodeJS.Timeout;
}

interface Ending {
  /** `unused`: the process has no task and is no longer needed. */
  readonly cause: DeathCause | 'unused';
  readonly reason?: string;
  readonly error?: unknown;
}

let tasks = 0;

/** One child process and the task that it runs, on the caller's side. */
export class Cell {
  readonly #config: IsolateConfig;
  readonly #events: CellEvents;
  readonly #child: ChildProcess;
  readonly #group: MemoryGroup | undefined;
  readonly #tail = new StderrTail();
  readonly #guard = new GuardReport();
  readonly #startedMs = performance.now();
  #running: Running | undefined;
  #ending: Ending | undefined;
  #firstUsed: number | undefined;
  #onFloor: ((used: number) => void) | undefined;
  #isOver = false;
  /** Number of tasks that it took. */
  taken = 0;
  /** Monotonic time of the last task's end. */
  freeSinceMs = performance.now();
  /** Bytes in use after the last task, above those at the start. */
  grownBytes = 0;

  constructor(config: IsolateConfig, events: CellEvents) {
    this.#config = config;
    this.#events = events;
    const caps = capsOf(config.limitBytes);
    this.#child = fork(
      fileURLToPath(mainModule),
      [config.module, config.export, String(Math.round(caps.guardBytes))],
      {
        execArgv: [
          ...flagsFor(mainModule),
          ...flagsForTask(process.execArgv),
          `--max-old-space-size=${caps.oldSpaceMib}`,
          `--max-semi-space-size=${caps.semiSpaceMib}`,
        ],
        env: envForTask(process.env),
        serialization: 'advanced',
        stdio: ['ignore', config.output === 'inherit' ? 'inherit' : 'ignore', 'pipe', 'ipc', 'pipe'],
      },
    );
    this.#group = config.cgroup ? this.#join(caps.groupBytes) : undefined;
    this.#listen();
    this.#hold(false);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isFree(): boolean {
    return this.#running === undefined && this.#ending === undefined && !this.#isOver && !this.isChecking;
  }

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  get isEnding(): boolean {
    return this.#ending !== undefined;
  }

  get isChecking(): boolean {
    return this.#onFloor !== undefined;
  }

  get ageMs(): number {
    return performance.now() - this.#startedMs;
  }

  run(call: IsolateCall): void {
    const task = ++tasks;
    this.taken++;
    const port = new StreamPort((message) => this.#send(message));
    const timer = setTimeout(() => this.end({ cause: 'timeout' }), call.timeoutMs);
    this.#running = { call, task, port, timer, startedMs: performance.now() };
    call.onGivenUp = (reason, error) => this.end({ cause: 'aborted', reason, error });
    this.#hold(true);
    const streams = streamKeys(call.input);
    const input = withStreams(call.input, streams, (key, value) => {
      void port.offer(`${task}:${key}`, value as AsyncIterable<unknown>);
      return undefined;
    });
    try {
      this.#child.send({ kind: 'run', task, input, streams } satisfies ToTask, () => undefined);
    } catch (error) {
      this.#finish((running) => running.call.reject(this.#notCloneable('input', (error as Error).message)));
    }
  }

  /** Ends the process: a busy one at once, an idle one politely. */
  end(ending: Ending): void {
    if (this.#isOver || this.#ending !== undefined) return;
    this.#ending = ending;
    if (this.#running !== undefined || !this.#child.connected) {
      this.#child.kill('SIGKILL');
      return;
    }
    this.#child.disconnect();
    setTimeout(() => this.#child.kill('SIGKILL'), politeMs).unref();
  }

  /** Keeps this process alive until the other has ended, because a caller waits for that. */
  awaitEnd(): void {
    this.#hold(true);
  }

  /** Live bytes after a collection, above those at the start. Only for a free process. */
  floor(): Promise<number> {
    return new Promise((resolve) => {
      this.#onFloor = (used) => resolve(used - (this.#firstUsed ?? used));
      this.#send({ kind: 'collect' });
    });
  }

  #join(limitBytes: number): MemoryGroup | undefined {
    const group = MemoryGroup.make(limitBytes + emptyBytes);
    if (group === undefined || group.add(this.pid)) return group;
    group.remove();
    return undefined;
  }

  #listen(): void {
    const child = this.#child;
    child.on('message', (message) => this.#receive(message as FromTask));
    child.on('error', (error) => {
      // It could not be started, or a message could not be sent because it is gone. In the second case `exit` follows.
      if (child.pid === undefined) this.#over(null, null, error);
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      const passed = this.#tail.take(chunk);
      if (this.#config.output === 'inherit' && passed !== '') process.stderr.write(passed);
    });
    (child.stdio[4] as Socket)
      .setEncoding('utf8')
      .on('data', (chunk: string) => this.#guard.take(chunk))
      .on('error', () => undefined);
    child.once('exit', (code, signal) => {
      const settle = (): void => this.#over(code, signal);
      const timer = setTimeout(settle, lastOutputMs);
      child.once('close', () => {
        clearTimeout(timer);
        settle();
      });
    });
  }

  #receive(message: FromTask): void {
    switch (message.kind) {
      case 'ready':
        this.#firstUsed = message.used;
        return;
      case 'unusable': {
        const { why, error } = message;
        const cause = error === undefined ? undefined : { cause: receivedError(error) };
        const failed = failure('PLM_ISOLATE_BAD_MODULE', { task: this.#config.task, why }, cause);
        this.#finish((running) => running.call.reject(failed), false);
        this.end({ cause: 'unused' });
        return;
      }
      case 'floor': {
        const told = this.#onFloor;
        this.#onFloor = undefined;
        told?.(message.used);
        return;
      }
      default:
        this.#receiveForTask(message);
    }
  }

  #receiveForTask(message: Exclude<FromTask, { kind: 'ready' | 'unusable' | 'floor' }>): void {
    const running = this.#running;
    if (running === undefined) return;
    switch (message.kind) {
      case 'streaming':
        running.call.resolve(running.port.open(`${running.task}>`));
        return;
      case 'result':
        if (message.task !== running.task) return;
        this.#weigh(message.used);
        this.#finish(({ call }) => call.resolve(message.value));
        return;
      case 'error':
        if (message.task !== running.task) return;
        this.#weigh(message.used);
        this.#finish(({ call }) =>
          call.reject(
            message.isNotCloneable === true
              ? this.#notCloneable('result', message.error.message)
              : receivedError(message.error),
          ),
        );
        return;
      default:
        running.port.receive(message);
    }
  }

  #weigh(used: number): void {
    this.#firstUsed ??= used;
    this.grownBytes = used - this.#firstUsed;
  }

  /** Ends the task but not the process. */
  #finish(settle: (running: Running) => void, isFree = true): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    clearTimeout(running.timer);
    running.port.close();
    settle(running);
    running.call.end();
    this.#hold(false);
    this.freeSinceMs = performance.now();
    if (isFree) this.#events.onFree(this);
  }

  #over(exitCode: number | null, signal: string | null, startError?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const running = this.#running;
    const autopsy: IsolateAutopsy = {
      cause: this.#cause(),
      pid: this.pid,
      limitBytes: this.#config.limitBytes,
      peakBytes: this.#guard.peakBytes,
      ms: running === undefined ? 0 : Math.round(performance.now() - running.startedMs),
      exitCode,
      signal,
      lastLine: startError?.message ?? this.#tail.lastLine,
    };
    this.#group?.remove();
    this.#onFloor = undefined;
    if (running !== undefined) {
      const { reason, error } = this.#ending ?? {};
      const died = deathError(this.#config.task, autopsy, {
        ...(reason !== undefined && { reason }),
        cause: error ?? startError,
      });
      running.port.close(died);
      this.#finish(({ call }) => call.reject(died), false);
    }
    this.#events.onEnd(this);
  }

  #cause(): DeathCause {
    // When a process reached its limit and was ended by us at the same moment, the limit is the more useful cause.
    if (this.#guard.isOver) return 'outside-heap';
    if ((this.#group?.kills ?? 0) > 0) return 'cgroup';
    if (this.#tail.isHeapDeath) return 'heap';
    const cause = this.#ending?.cause ?? 'crashed';
    return cause === 'unused' ? 'crashed' : cause;
  }

  #notCloneable(what: string, why: string): Error {
    return failure('PLM_ISOLATE_NOT_CLONEABLE', { task: this.#config.task, what, why });
  }

  #send(message: ToTask | StreamMessage): void {
    // A chunk that cannot be copied throws here, and the stream reports it to both sides.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** A busy process keeps this one alive; an idle one does not. */
  #hold(isHeld: boolean): void {
    const child = this.#child;
    const handles = [child, child.channel, child.stderr as Socket | null, child.stdio[4] as Socket | null];
    for (const handle of handles) {
      if (isHeld) handle?.ref?.();
      else handle?.unref?.();
    }
  }
}
