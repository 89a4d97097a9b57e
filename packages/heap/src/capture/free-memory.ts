import { readFileSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { dirname, join } from 'node:path';

/** Memory that the process may still take before someone kills it, and whose limit that is. */
export interface FreeMemory {
  readonly freeBytes: number;
  readonly limitBytes: number;
  readonly binds: 'cgroup' | 'host';
}

/** Reads a file or returns undefined; injectable so that tests can be any container. */
type ReadText = (path: string) => string | undefined;

const readText: ReadText = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/** The tightest of the cgroup limits above the process and the host's memory. V8's heap limit does not bind here: a snapshot is built outside of the heap. */
export function freeMemory(read: ReadText = readText): FreeMemory {
  let tightest = hostMemory(read);
  for (const found of cgroupMemory(read)) {
    if (found.freeBytes < tightest.freeBytes) tightest = found;
  }
  return tightest;
}

function hostMemory(read: ReadText): FreeMemory {
  const info = read('/proc/meminfo');
  const field = (name: string): number | undefined => {
    const match = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(info ?? '');
    return match === null ? undefined : Number(match[1]) * 1024;
  };
  return {
    freeBytes: field('MemAvailable') ?? freemem(),
    limitBytes: field('MemTotal') ?? totalmem(),
    binds: 'host',
  };
}

/** Every level of the hierarchy counts: a pod's limit stands above the container's. */
function* cgroupMemory(read: ReadText): Generator<FreeMemory> {
  const lines = (read('/proc/self/cgroup') ?? '').split('\n');
  const unified = lines.find((line) => line.startsWith('0::'))?.slice(3);
  const legacy = lines.find((line) => /^\d+:[^:]*\bmemory\b[^:]*:/.test(line))?.replace(/^\d+:[^:]*:/, '');
  for (const folder of upwards('/sys/fs/cgroup', unified)) {
    const found = level(read, folder, 'memory.max', 'memory.current', 'inactive_file');
    if (found !== undefined) yield found;
  }
  for (const folder of upwards('/sys/fs/cgroup/memory', legacy)) {
    const found = level(
      read,
      folder,
      'memory.limit_in_bytes',
      'memory.usage_in_bytes',
      'total_inactive_file',
    );
    if (found !== undefined) yield found;
  }
}

function* upwards(mount: string, path: string | undefined): Generator<string> {
  for (let at = path ?? '/'; ; at = dirname(at)) {
    yield join(mount, at);
    if (at === '/' || at === '.') return;
  }
}

function level(
  read: ReadText,
  folder: string,
  max: string,
  current: string,
  cache: string,
): FreeMemory | undefined {
  const limitBytes = Number(read(join(folder, max)) ?? Number.NaN);
  const used = Number(read(join(folder, current)) ?? Number.NaN);
  // cgroup v1 writes a number near 2^63 for "no limit".
  if (!Number.isFinite(limitBytes) || !Number.isFinite(used) || limitBytes > 2 ** 60) return undefined;
  const stat = new RegExp(`^${cache} (\\d+)`, 'm').exec(read(join(folder, 'memory.stat')) ?? '');
  // File pages that nobody uses are given back before anyone is killed.
  const reclaimable = stat === null ? 0 : Number(stat[1]);
  return { freeBytes: Math.max(0, limitBytes - used + reclaimable), limitBytes, binds: 'cgroup' };
}
