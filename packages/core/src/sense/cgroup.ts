import { existsSync, readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { keepFile } from './kept-file.ts';
import type { KeptFile } from './kept-file.ts';

/** The memory limit of this process's control groups that is nearest to being reached, and what counts against it. */
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
  /** Times that the group had no page to give until the kernel reclaimed some, since it was made; undefined when not told. */
  readonly failures?: number | undefined;
  /** Page faults that had to read from disk, of the whole group, since it was made; undefined when not told. */
  readonly majorFaults?: number | undefined;
}

interface Form {
  readonly version: 1 | 2;
  readonly mount: string;
  readonly usage: string;
  readonly limits: readonly string[];
  readonly inactive: string;
  readonly failures: { readonly file: string; readonly key?: string };
  readonly majorFaults: string;
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
    failures: { file: 'memory.events', key: 'max' },
    majorFaults: 'pgmajfault',
  },
  {
    version: 1,
    mount: 'sys/fs/cgroup/memory',
    usage: 'memory.usage_in_bytes',
    limits: ['memory.limit_in_bytes'],
    inactive: 'total_inactive_file',
    failures: { file: 'memory.failcnt' },
    majorFaults: 'total_pgmajfault',
  },
];

/**
 * Working set and limit of the process's control group. The limit may sit on any ancestor (a pod around its containers), which Node itself
 * does not see. Of several limits the one with the least room left counts, and usage is read at its group, because that is the sum that
 * must stay below it. Limits are read again every 10 s, because pods can be resized in place. Without a limit nothing is compared with the
 * figures, so they are read no more often than that: the kernel adds memory.stat up for each read.
 */
export class Cgroup {
  /** How often limits are looked up again, in ms. */
  static readonly refreshMs = 10_000;
  readonly #root: string;
  readonly #physicalBytes: number;
  #bound: Bound | undefined;
  #usage: KeptFile | undefined;
  #stat: KeptFile | undefined;
  #failures: KeptFile | undefined;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #last: CgroupReading | undefined;

  constructor(options: { root?: string; physicalBytes?: number } = {}) {
    this.#root = options.root ?? '/';
    this.#physicalBytes = options.physicalBytes ?? totalmem();
  }

  get retainedBytes(): number {
    return [this.#usage, this.#stat, this.#failures].reduce(
      (sum, file) => sum + (file?.retainedBytes ?? 0),
      0,
    );
  }

  /** The current state, or undefined where there is no memory controller or its files cannot be understood. */
  read(monotonicMs: number): CgroupReading | undefined {
    if (monotonicMs - this.#refreshedAt >= Cgroup.refreshMs) {
      this.#refreshedAt = monotonicMs;
      this.#refresh();
      this.#last = this.#figures();
    } else if (this.#bound?.limit !== undefined) this.#last = this.#figures();
    return this.#last;
  }

  #figures(): CgroupReading | undefined {
    if (this.#bound === undefined) return undefined;
    const { form, dir, limit, limitFile } = this.#bound;
    const usage = figure(this.#usage?.read());
    if (usage === undefined) return undefined;
    const stat = this.#stat?.read();
    const failures = this.#failures?.read();
    const { key } = form.failures;
    return {
      version: form.version,
      group: dir.slice(join(this.#root, form.mount).length) || '/',
      workingSet: Math.max(0, usage - (statFigure(stat, form.inactive) ?? 0)),
      limit,
      limitFile,
      failures: key === undefined ? figure(failures) : statFigure(failures, key),
      majorFaults: statFigure(stat, form.majorFaults),
    };
  }

  close(): void {
    this.#closeFiles();
    this.#bound = undefined;
    this.#last = undefined;
  }

  #closeFiles(): void {
    for (const file of [this.#usage, this.#stat, this.#failures]) file?.close();
    this.#usage = undefined;
    this.#stat = undefined;
    this.#failures = undefined;
  }

  #refresh(): void {
    const next = this.#findBound();
    const moved = next?.dir !== this.#bound?.dir || this.#usage === undefined;
    this.#bound = next;
    if (!moved) return;
    this.#closeFiles();
    if (next === undefined) return;
    this.#usage = keepFile(join(next.dir, next.form.usage));
    this.#stat = keepFile(join(next.dir, 'memory.stat'), 8192);
    this.#failures = keepFile(join(next.dir, next.form.failures.file));
  }

  #findBound(): Bound | undefined {
    const membership = readText(join(this.#root, 'proc/self/cgroup')) ?? '';
    for (const form of versions) {
      const mount = join(this.#root, form.mount);
      const own = resolve(mount, `.${groupPath(membership, form.version) ?? '/'}`);
      // Inside a container the path of the host may not exist; the mount point is then our own group.
      const start = [...new Set([own, mount])].find(
        (dir) => figure(readText(join(dir, form.usage))) !== undefined,
      );
      if (start !== undefined) return this.#nearest(form, start, mount);
    }
    return undefined;
  }

  #nearest(form: Form, start: string, mount: string): Bound {
    let best: Bound = { form, dir: start, limit: undefined, limitFile: undefined };
    let leastRoom = Number.POSITIVE_INFINITY;
    const consider = (dir: string, limitFile: string, limit: number | undefined): void => {
      // "max" is no figure, and version 1 writes nearly 2^63 for no limit.
      if (limit === undefined || limit <= 0 || limit >= this.#physicalBytes) return;
      const room = limit - workingSetOf(form, dir);
      if (room >= leastRoom) return;
      leastRoom = room;
      best = { form, dir, limit, limitFile };
    };
    for (let dir = start; dir.startsWith(mount); dir = dirname(dir)) {
      for (const name of form.limits) {
        const limitFile = join(dir, name);
        consider(dir, limitFile, figure(readText(limitFile)));
      }
    }
    // A container of version 1 does not see the groups above its own, but its statistics name the lowest of their limits.
    const stat = join(start, 'memory.stat');
    if (form.version === 1) consider(start, stat, statFigure(readText(stat), 'hierarchical_memory_limit'));
    return best;
  }
}

/** 0 when a group does not tell. Its limit still counts. */
function workingSetOf(form: Form, dir: string): number {
  const usage = figure(readText(join(dir, form.usage))) ?? 0;
  return Math.max(0, usage - (statFigure(readText(join(dir, 'memory.stat')), form.inactive) ?? 0));
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

/** Undefined for a file that is not there. Asked first, because an error with its stack takes ten times as long as the question. */
function readText(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
