import { readFileSync } from 'node:fs';

/** How often the kernel ended a process for memory: on the whole machine, and in our control group. Null where it cannot be read. */
export interface OomKills {
  readonly machine: number | null;
  readonly group: number | null;
}

/** Follows the kernel's counters while a program runs, so that a kill right after a rise is known for what it was. */
export class OomCounters {
  readonly #groupFile = groupEventsFile();
  #before = this.#read();
  #timer = setInterval(() => this.#look(), 1000).unref();
  #last = this.#before;

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
      machine: counterIn('/proc/vmstat'),
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

function groupEventsFile(): string | undefined {
  const group = /^0::(\/.*)$/m.exec(textOf('/proc/self/cgroup') ?? '')?.[1];
  if (group === undefined) return undefined;
  const file = `/sys/fs/cgroup${group === '/' ? '' : group}/memory.events`;
  return textOf(file) === undefined ? undefined : file;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
