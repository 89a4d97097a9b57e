import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { keepFile } from './kept-file.ts';
import type { KeptFile } from './kept-file.ts';

/** The tightest memory limit of the control groups above this process, and what counts against it. */
export interface CgroupReading {
  readonly version: 1 | 2;
  /** The group that carries the limit, as a path inside the cgroup file system. */
  readonly group: string;
  /** Usage without the page cache that the kernel drops first: what the OOM killer and kubelet look at. */
  readonly workingSet: number;
  /** Undefined when no group has one. */
  readonly limit: number | undefined;
  /** The file the limit came from. */
  readonly limitFile: string | undefined;
}

interface Form {
  readonly version: 1 | 2;
  readonly mount: string;
  readonly usage: string;
  readonly limits: readonly string[];
  readonly inactive: string;
}

interface Bound {
  readonly form: Form;
  readonly dir: string;
  readonly limit: number | undefined;
  readonly limitFile: string | undefined;
}

const versions: readonly Form[] = [
  {
    version: 2,
    mount: 'sys/fs/cgroup',
    usage: 'memory.current',
    // memory.high throttles before memory.max kills, so whichever is lower binds.
    limits: ['memory.max', 'memory.high'],
    inactive: 'inactive_file',
  },
  {
    version: 1,
    mount: 'sys/fs/cgroup/memory',
    usage: 'memory.usage_in_bytes',
    limits: ['memory.limit_in_bytes'],
    inactive: 'total_inactive_file',
  },
];

/**
 * Working set and limit of the process's control group. The limit may sit on any ancestor (a pod around its containers); usage is read
 * at the group that carries the tightest one, because that is the sum that must stay below it. Limits are read again every 10 s: pods are
 * resized in place.
 */
export class Cgroup {
  /** How often limits are looked up again, in ms. */
  static readonly refreshMs = 10_000;
  private readonly root: string;
  private readonly physicalBytes: number;
  private bound: Bound | undefined;
  private usage: KeptFile | undefined;
  private stat: KeptFile | undefined;
  private refreshedAt = Number.NEGATIVE_INFINITY;

  constructor(options: { root?: string; physicalBytes?: number } = {}) {
    this.root = options.root ?? '/';
    this.physicalBytes = options.physicalBytes ?? totalmem();
  }

  get retainedBytes(): number {
    return (this.usage?.retainedBytes ?? 0) + (this.stat?.retainedBytes ?? 0);
  }

  /** The current state, or undefined where there is no memory controller or its files cannot be understood. */
  read(monotonicMs: number): CgroupReading | undefined {
    if (monotonicMs - this.refreshedAt >= Cgroup.refreshMs) {
      this.refreshedAt = monotonicMs;
      this.refresh();
    }
    if (this.bound === undefined) return undefined;
    const { form, dir, limit, limitFile } = this.bound;
    const usage = figure(this.usage?.read());
    if (usage === undefined) return undefined;
    const inactive = statFigure(this.stat?.read(), form.inactive) ?? 0;
    return {
      version: form.version,
      group: dir.slice(join(this.root, form.mount).length) || '/',
      workingSet: Math.max(0, usage - inactive),
      limit,
      limitFile,
    };
  }

  close(): void {
    this.usage?.close();
    this.stat?.close();
    this.usage = undefined;
    this.stat = undefined;
    this.bound = undefined;
  }

  private refresh(): void {
    const next = this.findBound();
    const moved = next?.dir !== this.bound?.dir || this.usage === undefined;
    this.bound = next;
    if (!moved) return;
    this.usage?.close();
    this.stat?.close();
    this.usage = next && keepFile(join(next.dir, next.form.usage));
    this.stat = next && keepFile(join(next.dir, 'memory.stat'), 8192);
  }

  private findBound(): Bound | undefined {
    const membership = readText(join(this.root, 'proc/self/cgroup')) ?? '';
    for (const form of versions) {
      const mount = join(this.root, form.mount);
      const own = join(mount, groupPath(membership, form.version) ?? '/');
      // Inside a container the path of the host may not exist; the mount point is then our own group.
      const start = [own, mount].find((dir) => figure(readText(join(dir, form.usage))) !== undefined);
      if (start !== undefined) return this.tightest(form, start, mount);
    }
    return undefined;
  }

  private tightest(form: Form, start: string, mount: string): Bound {
    let best: Bound = { form, dir: start, limit: undefined, limitFile: undefined };
    for (let dir = start; dir.startsWith(mount); dir = dirname(dir)) {
      for (const name of form.limits) {
        const limitFile = join(dir, name);
        const limit = figure(readText(limitFile));
        // "max" is no figure, and version 1 writes nearly 2^63 for no limit.
        if (limit === undefined || limit <= 0 || limit >= this.physicalBytes) continue;
        if (best.limit === undefined || limit < best.limit) best = { form, dir, limit, limitFile };
      }
    }
    return best;
  }
}

/** The process's group in the lines "4:memory:/path" (version 1) or "0::/path" (version 2). */
function groupPath(membership: string, version: 1 | 2): string | undefined {
  for (const line of membership.split('\n')) {
    const [id, controllers, path] = line.split(/:(.*?):(.*)/s);
    if (path === undefined || path.includes('..')) continue;
    if (version === 2 ? id === '0' && controllers === '' : controllers?.split(',').includes('memory')) {
      return path;
    }
  }
  return undefined;
}

function figure(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d+\s*$/.test(text)) return undefined;
  return Number(text);
}

function statFigure(text: string | undefined, key: string): number | undefined {
  if (text === undefined) return undefined;
  const at = text.startsWith(`${key} `) ? 0 : text.indexOf(`\n${key} `) + 1;
  if (at === 0 && !text.startsWith(key)) return undefined;
  const value = Number.parseInt(text.slice(at + key.length + 1), 10);
  return Number.isSafeInteger(value) ? value : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
