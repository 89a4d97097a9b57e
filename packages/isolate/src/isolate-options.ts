import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { basename } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { parseByteSize, parseDuration } from '@plimsoll/core/units';

const mib = 1024 ** 2;

export interface IsolateOptions {
  /** Most memory of one process above that of an empty one: V8 heap, buffers and native memory together. 16 MiB or more. Required. */
  readonly limit: number | string;
  /** Longest time of one task, from the moment a process takes it. Required. */
  readonly timeout: number | string;
  /** Name of the exported function; default "default". */
  readonly export?: string;
  /** Most processes at once. Default: one per core, and no more than fit into half of the memory. */
  readonly size?: number;
  /** Most calls that wait for a process; default 64. */
  readonly queue?: number;
  /** Processes that are kept ready without calls; default 0. */
  readonly warm?: number;
  /** A process without a task for this time is ended, unless it is one of `warm`; default 10 s. */
  readonly idle?: number | string;
  /** When a process is replaced between two tasks. */
  readonly recycle?: {
    /** After this many tasks; default 10,000. */
    readonly tasks?: number;
    /** After this time; default 1 h. */
    readonly age?: number | string;
    /** When its live memory after a collection has grown by this much since its start; default a quarter of `limit`. */
    readonly growth?: number | string;
  };
  /** The output of the task on stdout and stderr: "inherit" (default) passes it on, "ignore" drops it. */
  readonly output?: 'inherit' | 'ignore';
  /** Use a control group where one can be made; default true. */
  readonly cgroup?: boolean;
  /** Calls with the same module and options share one pool. Another name makes a separate pool. */
  readonly name?: string;
}

/** Options with every default filled in. */
export interface IsolateConfig {
  readonly module: string;
  readonly export: string;
  /** Name in errors: the file, and the export where it is not the default. */
  readonly task: string;
  readonly limitBytes: number;
  readonly timeoutMs: number;
  readonly size: number;
  readonly queue: number;
  readonly warm: number;
  readonly idleMs: number;
  readonly recycleTasks: number;
  readonly recycleAgeMs: number;
  readonly recycleGrowthBytes: number;
  readonly output: 'inherit' | 'ignore';
  readonly cgroup: boolean;
  readonly name: string;
}

const leastLimit = 16 * mib;
const acceptedSize = 'a size of 16 MiB or more such as "256 MiB"';
const acceptedTime = 'a duration above 0 such as "30s"';

export function isolateConfig(module: URL | string, options: IsolateOptions): IsolateConfig {
  const url = urlOf(module);
  const limitBytes = size('limit', options?.limit, leastLimit);
  const size_ = options.size === undefined ? defaultSize(limitBytes) : count('size', options.size, 1);
  const exported = options.export ?? 'default';
  const file = basename(url.startsWith('file:') ? fileURLToPath(url) : url);
  return {
    module: url,
    export: exported,
    task: exported === 'default' ? file : `${file} (${exported})`,
    limitBytes,
    timeoutMs: duration('timeout', options.timeout),
    size: size_,
    queue: options.queue === undefined ? 64 : count('queue', options.queue, 0),
    warm: options.warm === undefined ? 0 : Math.min(size_, count('warm', options.warm, 0)),
    idleMs: options.idle === undefined ? 10_000 : duration('idle', options.idle),
    recycleTasks:
      options.recycle?.tasks === undefined ? 10_000 : count('recycle.tasks', options.recycle.tasks, 1),
    recycleAgeMs:
      options.recycle?.age === undefined ? 3_600_000 : duration('recycle.age', options.recycle.age),
    recycleGrowthBytes:
      options.recycle?.growth === undefined
        ? limitBytes / 4
        : size('recycle.growth', options.recycle.growth, 1),
    output: options.output ?? 'inherit',
    cgroup: options.cgroup ?? true,
    name: options.name ?? '',
  };
}

/** One per core, as far as their limits fit into half of the memory. */
function defaultSize(limitBytes: number): number {
  const constrained = process.constrainedMemory();
  const memory = constrained > 0 && constrained < totalmem() ? constrained : totalmem();
  return Math.max(1, Math.min(availableParallelism(), Math.floor(memory / 2 / limitBytes)));
}

function urlOf(module: URL | string): string {
  if (module instanceof URL) return module.href;
  if (typeof module === 'string' && module !== '')
    return /^[a-z][a-z\d+.-]+:/i.test(module) ? module : pathToFileURL(module).href;
  throw bad('module', module, 'a URL such as new URL("./task.ts", import.meta.url)');
}

function size(option: string, value: unknown, least: number): number {
  const bytes = typeof value === 'string' ? parseByteSize(value) : value;
  if (typeof bytes === 'number' && bytes >= least && bytes <= Number.MAX_SAFE_INTEGER) return bytes;
  throw bad(option, value, least === leastLimit ? acceptedSize : 'a size such as "64 MiB"');
}

export function duration(option: string, value: unknown): number {
  const ms = typeof value === 'string' ? parseDuration(value) : value;
  // A timer of Node takes 31 bits.
  if (typeof ms === 'number' && ms > 0 && ms < 2 ** 31) return ms;
  throw bad(option, value, acceptedTime);
}

function count(option: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw bad(option, value, `a whole number of ${least} or more`);
}

function bad(option: string, value: unknown, accepted: string): Error {
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return failure('PLM_ISOLATE_BAD_OPTION', { option, value: shown, accepted });
}

/** The parts of a limit. Old space and young space of V8 together are the limit; the guard ends a process that is clearly over it. */
interface Caps {
  readonly oldSpaceMib: number;
  readonly semiSpaceMib: number;
  /** Resident bytes above the empty process at which the guard ends it. */
  readonly guardBytes: number;
  /** Resident bytes above the empty process at which the kernel ends it, where a control group can be made. */
  readonly groupBytes: number;
}

/** The guard's own thread takes 11 to 18 MiB. The rest is for memory that V8 and malloc keep besides live memory. */
const guardRoomBytes = 32 * mib;

export function capsOf(limitBytes: number): Caps {
  const limitMib = limitBytes / mib;
  let semiSpaceMib = 1;
  while (semiSpaceMib < 16 && semiSpaceMib * 64 <= limitMib) semiSpaceMib *= 2;
  const guardBytes = limitBytes + limitBytes / 16 + guardRoomBytes;
  return {
    semiSpaceMib,
    // V8 counts three semi-spaces as young space.
    oldSpaceMib: Math.floor(limitMib) - 3 * semiSpaceMib,
    guardBytes,
    // Higher than the guard's limit, because the guard's message is clearer. The kernel ends a process that allocates faster than the guard
    // checks.
    groupBytes: guardBytes + guardRoomBytes,
  };
}

/** Flags that change how modules are found and loaded. Their value may be a separate word. */
const passedOn =
  /^(?:--conditions|-C|--import|--require|-r|--loader|--experimental-[\w-]+|--no-experimental-[\w-]+|--enable-source-maps|--no-warnings|--disable-warning|--preserve-symlinks|--expose-gc)(?:=|$)/;
const takesWord = /^(?:--conditions|-C|--import|--require|-r|--loader|--disable-warning)$/;

/** Flags of this process that a task needs to find modules. Limits, inspectors and profilers are not passed on. */
export function flagsForTask(execArgv: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < execArgv.length; i++) {
    const flag = execArgv[i] as string;
    if (!passedOn.test(flag)) continue;
    const words = takesWord.test(flag) ? [flag, execArgv[++i] ?? ''] : [flag];
    if (!words.join('=').includes('@plimsoll/host')) kept.push(...words);
  }
  return kept;
}

/** Our environment without flags that would override the task's limit. The task is not governed, because this package bounds it already. */
export function envForTask(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const options = env['NODE_OPTIONS'];
  return {
    ...env,
    PLIMSOLL: 'off',
    ...(options !== undefined && {
      NODE_OPTIONS: options
        .split(/\s+/)
        .filter(
          (word) => !/^--(?:max[-_]|min[-_]semi|inspect|heap[-_]?prof|cpu-prof|heapsnapshot)/.test(word),
        )
        .join(' '),
    }),
  };
}
