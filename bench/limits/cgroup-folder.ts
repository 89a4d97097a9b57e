import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A memory control group for one run; undefined where none can be made (no root, a read-only file system). */
export interface CgroupFolder extends Disposable {
  /** Writing a process id into this file moves it into the group. */
  readonly procs: string;
  /** Times that the kernel ended a process of the group. */
  kills(): number;
}

let made = 0;

export function cgroupFolder(limitBytes: number): CgroupFolder | undefined {
  const isV2 = existsSync('/sys/fs/cgroup/cgroup.controllers');
  const dir = join(
    isV2 ? '/sys/fs/cgroup' : '/sys/fs/cgroup/memory',
    `plimsoll-bench-${process.pid}-${++made}`,
  );
  try {
    mkdirSync(dir);
    writeFileSync(join(dir, isV2 ? 'memory.max' : 'memory.limit_in_bytes'), String(limitBytes));
  } catch {
    remove(dir);
    return undefined;
  }
  return {
    procs: join(dir, 'cgroup.procs'),
    kills: () => {
      const text = readFileSync(join(dir, isV2 ? 'memory.events' : 'memory.oom_control'), 'utf8');
      return Number(/^oom_kill (\d+)/m.exec(text)?.[1] ?? 0);
    },
    [Symbol.dispose]: () => remove(dir),
  };
}

function remove(dir: string): void {
  try {
    rmdirSync(dir);
  } catch {
    // Never made, or a process in it is still ending: an empty group costs nothing.
  }
}
