import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { flagsFor } from '@plimsoll/core/internal/own-module';

const versionWaitMs = 5000;

/** How the target is started: its command line and environment, including the preload. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `pipe` gives its output to the caller. By default it goes to our own terminal. */
  readonly stdio?: 'inherit' | 'pipe' | undefined;
  /** True when the command is Node.js itself and not a launcher. */
  readonly isNode?: boolean;
  /** True opens a channel over which the process can hand its listening sockets to the next life. */
  readonly hasLink?: boolean;
}

interface LaunchOptions {
  readonly dir: string;
  readonly policyFile?: string | undefined;
  /** Longest stop for a snapshot while the program serves; `off` proves nothing. */
  readonly maxPauseMs?: number | 'off' | undefined;
  /** Follow every listener, timer and handle to the place that made it. */
  readonly isAudited?: boolean | undefined;
  /** Lets V8 write a heap snapshot just before it runs out of memory, if there is memory for it. */
  readonly isSnapshotWanted?: boolean | undefined;
  /** More flags of Node.js, such as a heap limit. */
  readonly nodeFlags?: readonly string[];
  /** Output of the target; our own terminal by default. */
  readonly stdio?: Launch['stdio'];
  /** Address of the preload module; that of @plimsoll/host by default. */
  readonly registerUrl?: string;
}

/**
 * The launch of a command under Plimsoll. `node` itself gets the preload as arguments, so that only this process (and what it forks) is
 * governed; other launchers (npm, tsx, a shell script) pass it on in NODE_OPTIONS.
 */
export function launchOf(
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
  options: LaunchOptions,
): Launch {
  const registerUrl = options.registerUrl ?? ownRegisterUrl();
  const flags = [...flagsFor(new URL(registerUrl)), `--import=${registerUrl}`, ...(options.nodeFlags ?? [])];
  const stdio = options.stdio;
  const settings = {
    ...env,
    PLIMSOLL_DIR: options.dir,
    PLIMSOLL_SUPERVISED: String(process.pid),
    ...(options.maxPauseMs === undefined ? {} : { PLIMSOLL_MAX_PAUSE_MS: String(options.maxPauseMs) }),
    ...(options.isAudited === true && { PLIMSOLL_AUDIT: '1' }),
    ...(options.isSnapshotWanted === true && { PLIMSOLL_ON_DEATH: 'snapshot' }),
    ...(options.policyFile === undefined ? {} : { PLIMSOLL_POLICY: options.policyFile }),
  };
  const [program, ...args] = command;
  if (isNode(program))
    return { command: program, args: [...flags, ...args], env: settings, stdio, isNode: true };
  const nodeOptions = [env['NODE_OPTIONS'] ?? '', ...flags].filter((part) => part !== '').join(' ');
  return { command: program, args, env: { ...settings, NODE_OPTIONS: nodeOptions }, stdio };
}

/**
 * Throws PLM_RUN_OLD_NODE when the command is a Node.js that cannot load the host. Its own error would be about syntax or a file extension.
 * A launcher such as npm chooses its own Node.js and is not checked.
 */
export async function checkNode(
  program: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (!isNode(program) || program === process.execPath) return;
  const version = await new Promise<string>((resolve) => {
    const options = { cwd, env: env as NodeJS.ProcessEnv, timeout: versionWaitMs };
    execFile(program, ['--version'], options, (_, stdout) => resolve(stdout.trim()));
  });
  const [, major = 0, minor = 0] = /^v(\d+)\.(\d+)\./.exec(version)?.map(Number) ?? [];
  if (major === 0 || major > 22 || (major === 22 && minor >= 12)) return;
  throw failure('PLM_RUN_OLD_NODE', { command: program, version });
}

function isNode(program: string): boolean {
  return /^node(?:\.exe)?$/i.test(basename(program));
}

function ownRegisterUrl(): string {
  return import.meta.resolve('@plimsoll/host');
}
