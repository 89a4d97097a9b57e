import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isAlive } from '@plimsoll/core/internal/is-alive';

/**
 * A control group for one process, made below the group of this process, so that the limits around it still hold. Version 2 lets a group
 * have limited children only where its owner allows it (`cgroup.subtree_control`), which is rare inside a container and usual under systemd
 * with `Delegate=yes`; version 1 asks for root. Only processes of tasks are moved.
 */
export class MemoryGroup {
  readonly #dir: string;
  readonly #isV2: boolean;

  private constructor(dir: string, isV2: boolean) {
    this.#dir = dir;
    this.#isV2 = isV2;
  }

  /** Makes a group; undefined where that is not possible. `root` is for tests. */
  static make(limitBytes: number, root = '/'): MemoryGroup | undefined {
    const place = placeOf(root);
    if (place === undefined) return undefined;
    const dir = join(place.dir, `plimsoll-isolate-${process.pid}-${++made}`);
    try {
      sweep(place.dir);
      mkdirSync(dir);
      writeFileSync(join(dir, place.isV2 ? 'memory.max' : 'memory.limit_in_bytes'), String(limitBytes));
    } catch {
      remove(dir);
      return undefined;
    }
    try {
      // Swap would let the process grow past the limit. A kernel without swap accounting has no such file.
      if (place.isV2) writeFileSync(join(dir, 'memory.swap.max'), '0', { flag: 'r+' });
      else writeFileSync(join(dir, 'memory.memsw.limit_in_bytes'), String(limitBytes), { flag: 'r+' });
    } catch {
      // The limit on memory alone holds.
    }
    return new MemoryGroup(dir, place.isV2);
  }

  /** True when the process is inside. */
  add(pid: number): boolean {
    try {
      writeFileSync(join(this.#dir, 'cgroup.procs'), String(pid));
      return true;
    } catch {
      return false;
    }
  }

  /** How often the kernel ended a process of the group because of its memory. */
  get kills(): number {
    try {
      const text = readFileSync(join(this.#dir, this.#isV2 ? 'memory.events' : 'memory.oom_control'), 'utf8');
      return Number(/^oom_kill (\d+)/m.exec(text)?.[1] ?? 0);
    } catch {
      return 0;
    }
  }

  /** Ends processes that the task left behind, where the kernel offers it (version 2), and removes the group. */
  remove(): void {
    if (this.#isV2) {
      try {
        writeFileSync(join(this.#dir, 'cgroup.kill'), '1', { flag: 'r+' });
      } catch {
        // Linux before 5.14 does not have it.
      }
    }
    remove(this.#dir);
  }
}

let made = 0;

function placeOf(root: string): { readonly dir: string; readonly isV2: boolean } | undefined {
  const membership = read(join(root, 'proc/self/cgroup')) ?? '';
  const pathOf = (line: RegExp): string | undefined => line.exec(membership)?.[1];
  const v2 = join(root, 'sys/fs/cgroup');
  const own2 = pathOf(/^0::(\/.*)$/m);
  if (own2 !== undefined && existsSync(join(v2, 'cgroup.controllers'))) {
    const own = join(v2, own2);
    if (allows(own)) return { dir: own, isV2: true };
    // The place beside our own group is used only if our own group has no limit that it would escape.
    const hasLimit = (read(join(own, 'memory.max')) ?? 'max').trim() !== 'max';
    const above = dirname(own);
    return !hasLimit && above.startsWith(v2) && allows(above) ? { dir: above, isV2: true } : undefined;
  }
  const own1 = pathOf(/^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(\/.*)$/m);
  const mount = join(root, 'sys/fs/cgroup/memory');
  if (own1 === undefined) return undefined;
  const dir = [join(mount, own1), mount].find((folder) => existsSync(join(folder, 'memory.limit_in_bytes')));
  return dir === undefined ? undefined : { dir, isV2: false };
}

function allows(dir: string): boolean {
  return /\bmemory\b/.test(read(join(dir, 'cgroup.subtree_control')) ?? '');
}

/** Removes groups of callers that were killed before they could remove them. */
function sweep(dir: string): void {
  for (const name of readdirSync(dir)) {
    const pid = /^plimsoll-isolate-(\d+)-\d+$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) remove(join(dir, name));
  }
}

function remove(dir: string): void {
  try {
    rmdirSync(dir);
  } catch {
    // A process in it is still ending. A later sweep removes it; an empty group costs nothing until then.
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
