import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Facts about a process from the kernel, without touching the process. */
export interface AttachedProcess {
  readonly pid: number;
  readonly uid: number;
  /** Name of the executable, e.g. `node`. */
  readonly program: string;
  readonly args: readonly string[];
  readonly rssBytes: number;
  /** The effect of SIGUSR1: caught, ignored, or fatal. */
  readonly onUsr1: 'caught' | 'ignored' | 'fatal';
}

/** SIGUSR1 is 10 on Linux; the masks count from bit 0 for signal 1. */
const usr1Bit = 1n << 9n;

/** The facts, or undefined when there is no such process. `proc` is the mount of procfs. */
export function processFacts(pid: number, proc = '/proc'): AttachedProcess | undefined {
  const folder = join(proc, String(pid));
  let status: string;
  try {
    status = readFileSync(join(folder, 'status'), 'utf8');
  } catch {
    return undefined;
  }
  const field = (name: string): string => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '';
  const has = (mask: string): boolean => (BigInt(`0x${field(mask) || '0'}`) & usr1Bit) !== 0n;
  return {
    pid,
    uid: Number(field('Uid')),
    program: programOf(folder, field('Name')),
    args: argsOf(folder),
    rssBytes: Number(field('VmRSS') || '0') * 1024,
    onUsr1: has('SigCgt') ? 'caught' : has('SigIgn') ? 'ignored' : 'fatal',
  };
}

/** True for a Node.js binary by its name. Wrappers such as tsx and npm run in such a binary. */
export function isNode({ program }: AttachedProcess): boolean {
  return /^node(?:js)?(?:[-.\d]*)?(?:\.exe)?$/i.test(program);
}

/** Local ports that the process listens on. */
export function listeningPorts(pid: number, proc = '/proc'): ReadonlySet<number> {
  const folder = join(proc, String(pid));
  const inodes = socketInodes(join(folder, 'fd'));
  const ports = new Set<number>();
  for (const table of ['tcp', 'tcp6']) {
    for (const line of text(join(folder, 'net', table))
      .split('\n')
      .slice(1)) {
      const cells = line.trim().split(/\s+/);
      if (cells[3] === '0A' && inodes.has(cells[9] ?? ''))
        ports.add(Number.parseInt((cells[1] ?? '').split(':')[1] ?? '', 16));
    }
  }
  return ports;
}

function socketInodes(folder: string): ReadonlySet<string> {
  const found = new Set<string>();
  try {
    for (const name of readdirSync(folder)) {
      const inode = /^socket:\[(\d+)\]$/.exec(link(join(folder, name)))?.[1];
      if (inode !== undefined) found.add(inode);
    }
  } catch {
    // The process belongs to another user, so its descriptors cannot be listed.
  }
  return found;
}

function programOf(folder: string, name: string): string {
  const exe = link(join(folder, 'exe'));
  return exe === '' ? name : basename(exe.replace(/ \(deleted\)$/, ''));
}

function argsOf(folder: string): readonly string[] {
  return text(join(folder, 'cmdline'))
    .split('\0')
    .filter((each) => each !== '');
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function text(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
