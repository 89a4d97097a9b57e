import { readFileSync } from 'node:fs';

const lookMs = 500;

interface ParentWatchOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Id of the parent now; `process.ppid` by default. */
  readonly parent?: () => number;
  readonly lookMs?: number;
}

/**
 * Calls back once when npm or npx, which started us, is gone. Under SIGTERM they end their shell and themselves and send us nothing.
 * Supervisor and server would go on, and nobody could end them. Only npm's own shell is watched, because a parent that leaves a program
 * behind on purpose (nohup, a daemon, `plimsoll run … &` in a script) is nothing special. Returns how to stop watching.
 */
export function onParentLost(lost: () => void, options: ParentWatchOptions): () => void {
  const parent = options.parent ?? ((): number => process.ppid);
  const first = parent();
  if (options.env['npm_command'] === undefined || first <= 1 || isInBackground(commandOf(first)))
    return () => undefined;
  const timer = setInterval(() => {
    if (parent() === first) return;
    clearInterval(timer);
    lost();
  }, options.lookMs ?? lookMs).unref();
  return () => clearInterval(timer);
}

/** True for a shell command with a lone `&`: what it starts is meant to stay. */
export function isInBackground(command: string): boolean {
  return /(?<![&>])&(?![&>\d])/.test(command.replaceAll(/'[^']*'|"[^"]*"/g, ''));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
