/** Starts processes for tests so that they end with the test file, whatever becomes of the test. */
import { spawn } from 'node:child_process';
import type { ChildProcess, ChildProcessByStdio, SpawnOptions } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** Reads "+ GROUP" and "- GROUP" until its input ends, then kills the groups that are left. */
const guard = `left=' '
while read -r sign group; do
  case $sign in
    +) left="$left$group " ;;
    -) left=$(printf '%s' "$left" | sed "s/ $group / /") ;;
  esac
done
for group in $left; do kill -9 "-$group" 2>/dev/null; done`;

const groups = new Set<number>();
let guardian: Socket | undefined;

/**
 * Starts a process as a group of its own and ends the whole group, with what it started itself, when this process ends. A test that fails or
 * runs out of time leaves nothing behind. A guardian does it, because a worker that is killed runs no handler.
 */
export function startGroup(
  command: string,
  args: readonly string[],
  options: SpawnOptions & { readonly stdio: readonly ['ignore', 'pipe', 'pipe'] },
): ChildProcessByStdio<null, Readable, Readable>;
export function startGroup(command: string, args: readonly string[], options: SpawnOptions): ChildProcess;
export function startGroup(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, { ...options, detached: true });
  const { pid } = child;
  if (pid === undefined) return child;
  groups.add(pid);
  tell('+', pid);
  child.once('exit', () => {
    // What the process started may still run; it ends with the group.
    if (isGone(pid)) forget(pid);
  });
  return child;
}

/** Ends a group at once. */
export function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || !groups.has(child.pid)) return;
  kill(child.pid);
  forget(child.pid);
}

function forget(group: number): void {
  groups.delete(group);
  tell('-', group);
}

function tell(sign: '+' | '-', group: number): void {
  if (guardian === undefined) {
    const shell = spawn('/bin/sh', ['-c', guard], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    shell.unref();
    guardian = shell.stdin as Socket;
    guardian.on('error', () => {}).unref();
    process.once('exit', () => {
      for (const left of groups) kill(left);
    });
  }
  guardian.write(`${sign} ${group}\n`);
}

function kill(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function isGone(group: number): boolean {
  try {
    process.kill(-group, 0);
    return false;
  } catch {
    return true;
  }
}
