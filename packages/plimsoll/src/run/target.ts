import { spawn, type ChildProcess, type Serializable } from 'node:child_process';
import type { Server } from 'node:net';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { failure } from '@plimsoll/core/internal/errors';
import type { Launch } from './launch.ts';
import type { ExitFact } from './report.ts';

/** A running target: its process, and the promise of its exit. */
export interface Target {
  readonly pid: number;
  readonly ended: Promise<ExitFact>;
  signal(name: NodeJS.Signals): void;
  /** Sends a listening socket of another process to this one, with a message. */
  give(message: Serializable, server: Server | undefined): void;
  /** Adds a listener for each listening socket that this process hands over. */
  onHanded(listener: (message: Serializable, server: Server | undefined) => void): void;
  /** Standard output and standard error, with `pipe`. */
  readonly output: readonly Readable[];
}

const inherited = ['inherit', 'inherit', 'inherit'] as const;

/** Starts the target on our own terminal; rejects with a coded error when it cannot be started. */
export async function startTarget(launch: Launch, cwd: string): Promise<Target> {
  const child: ChildProcess = spawn(launch.command, [...launch.args], {
    cwd,
    env: launch.env as NodeJS.ProcessEnv,
    stdio: [
      ...(launch.stdio === 'pipe' ? (['ignore', 'pipe', 'pipe'] as const) : inherited),
      ...(launch.hasLink === true ? (['ipc'] as const) : []),
    ],
  });
  const ended = new Promise<ExitFact>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        failure(
          'PLM_CLI_CANNOT_START',
          { command: launch.command, reason: error.code ?? error.message },
          { cause: error },
        ),
      ),
    );
  });
  const output = [child.stdout, child.stderr].filter((each) => each !== null);
  return {
    pid: child.pid as number,
    ended,
    signal: (name) => void child.kill(name),
    give: (message, server) => {
      // A process that is ending needs no socket.
      if (child.connected) child.send(message, server, () => undefined);
    },
    onHanded: (listener) => {
      child.on('message', (message, handle) => {
        const isListener = (message as { readonly plimsoll?: unknown } | null)?.plimsoll === 'listener';
        if (isListener) listener(message, handle as Server | undefined);
      });
    },
    output,
  };
}

/** The shell's exit code for how the target ended: its own, or 128 + the signal's number. */
export function exitCodeOf(exit: ExitFact): number {
  if (exit.signal === null) return exit.code ?? 1;
  return 128 + (constants.signals[exit.signal as NodeJS.Signals] ?? 0);
}

/**
 * Passes our signals to the target while it runs. A terminal sends SIGINT to the whole group, so the target already has it; this process
 * must only survive it until the summary.
 */
export function passSignals(
  target: Pick<Target, 'signal'>,
  source: NodeJS.EventEmitter = process,
  heard: (name: NodeJS.Signals) => void = () => undefined,
): () => void {
  const ignore = (): void => heard('SIGINT');
  const forward = (name: NodeJS.Signals): void => {
    heard(name);
    target.signal(name);
  };
  source.on('SIGINT', ignore);
  for (const name of ['SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) source.on(name, forward);
  return () => {
    source.off('SIGINT', ignore);
    for (const name of ['SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) source.off(name, forward);
  };
}
