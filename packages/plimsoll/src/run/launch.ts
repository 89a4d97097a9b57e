import { basename } from 'node:path';
import { flagsFor } from '@plimsoll/core/internal/own-module';

/** How the target is started: its command line and environment with the preload in place. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface LaunchOptions {
  readonly dir: string;
  readonly policyFile?: string | undefined;
  /** Longest stop for a snapshot while the program serves; `off` proves nothing. */
  readonly maxPauseMs?: number | 'off' | undefined;
  /** Follow every listener, timer and handle to the place that made it. */
  readonly isAudited?: boolean | undefined;
  /** Address of the preload module; that of @plimsoll/host by default. */
  readonly registerUrl?: string;
}

/**
 * The launch of a command under Plimsoll. `node` itself gets the preload as arguments, so that only this process (and what it
 * forks) is governed; any other launcher (npm, tsx, a shell script) hands it down through NODE_OPTIONS.
 */
export function launchOf(
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
  options: LaunchOptions,
): Launch {
  const registerUrl = options.registerUrl ?? ownRegisterUrl();
  const flags = [...flagsFor(new URL(registerUrl)), `--import=${registerUrl}`];
  const settings = {
    ...env,
    PLIMSOLL_DIR: options.dir,
    PLIMSOLL_SUPERVISED: String(process.pid),
    ...(options.maxPauseMs === undefined ? {} : { PLIMSOLL_MAX_PAUSE_MS: String(options.maxPauseMs) }),
    ...(options.isAudited === true && { PLIMSOLL_AUDIT: '1' }),
    ...(options.policyFile === undefined ? {} : { PLIMSOLL_POLICY: options.policyFile }),
  };
  const [program, ...args] = command;
  if (isNode(program)) return { command: program, args: [...flags, ...args], env: settings };
  const nodeOptions = [env['NODE_OPTIONS'] ?? '', ...flags].filter((part) => part !== '').join(' ');
  return { command: program, args, env: { ...settings, NODE_OPTIONS: nodeOptions } };
}

function isNode(program: string): boolean {
  return /^node(?:\.exe)?$/i.test(basename(program));
}

function ownRegisterUrl(): string {
  return import.meta.resolve('@plimsoll/host');
}
