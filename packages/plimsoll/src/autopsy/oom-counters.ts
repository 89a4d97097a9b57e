import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * How often the kernel killed a process because of memory: on the whole machine, and in our control group. Null where it cannot be read.
 */
export interface OomKills {
  readonly machine: number | null;
  readonly group: number | null;
}

/** Follows the kernel's counters while a program runs, so that a kill right after a rise is recognised as an OOM kill. */
export class OomCounters {
  readonly #root: string;
  readonly #groupFile: string | undefined;
  readonly #timer = setInterval(() => this.#look(), 1000).unref();
  #before: OomKills;
  #last: OomKills;

  /** `root` is for tests. */
  constructor(root = '/') {
    this.#root = root;
    this.#groupFile = groupEventsFile(root);
    this.#before = this.#read();
    this.#last = this.#before;
  }

  /** Kills in the last seconds. */
  rise(): OomKills {
    const now = this.#read();
    return { machine: risen(this.#before.machine, now.machine), group: risen(this.#before.group, now.group) };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Keeps the counters of one to two seconds ago. */
  #look(): void {
    this.#before = this.#last;
    this.#last = this.#read();
  }

  #read(): OomKills {
    return {
      machine: counterIn(join(this.#root, 'proc/vmstat')),
      group: this.#groupFile === undefined ? null : counterIn(this.#groupFile),
    };
  }
}

function risen(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : Math.max(0, to - from);
}

function counterIn(file: string): number | null {
  const found = /^oom_kill (\d+)$/m.exec(textOf(file) ?? '')?.[1];
  return found === undefined ? null : Number(found);
}

/** The file with the counter of our control group. Both versions write "oom_kill N"; inside a container the group is the mount itself. */
function groupEventsFile(root: string): string | undefined {
  const membership = textOf(join(root, 'proc/self/cgroup')) ?? '';
  const v2 = /^0::(\/.*)$/m.exec(membership)?.[1] ?? '/';
  const v1 = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(\/.*)$/m.exec(membership)?.[1] ?? '/';
  const mount = join(root, 'sys/fs/cgroup');
  return [
    join(mount, v2, 'memory.events'),
    join(mount, 'memory.events'),
    join(mount, 'memory', v1, 'memory.oom_control'),
    join(mount, 'memory/memory.oom_control'),
  ].find((file) => counterIn(file) !== null);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
