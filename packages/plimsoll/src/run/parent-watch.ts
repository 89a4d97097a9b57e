import { readFileSync } from 'node:fs';

const lookMs = 500;

interface ParentWatchOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Id of the parent now; `process.ppid` by default. */
  readonly parent?: () => number;
  readonly lookMs?: number;
}

/**
 * Calls back once when the npm or npx that started this process is gone. On SIGTERM npm ends its shell and itself and sends us nothing.
 * Supervisor and server would then run on without anybody to end them. Only npm's own shell is watched, because other parents may leave a
 * program behind on purpose (nohup, a daemon, `plimsoll run … &` in a script). Returns the function that stops watching.
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

/** True for a shell command with a single `&`, whose program is meant to outlive it. */
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
