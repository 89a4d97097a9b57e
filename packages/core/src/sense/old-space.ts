/**
 * The most old generation V8 will hold, which no API tells: `heap_size_limit` is old generation plus a reserve for the young one, and
 * V8 may give up from 80 % of the old part alone.
 *
 * Reserve = 3 semi-spaces. Measured on Node 22.23, 24.21 and 26.10 with old space from 50 to 8192 MiB: the default semi-space is 16, 64
 * and 32 MiB (reserve 48, 192, 96); `--max-semi-space-size` is rounded up to a power of two (10 gives 48, 24 gives 96); a worker is told
 * its reserve in `resourceLimits.maxYoungGenerationSizeMb`, while `maxOldGenerationSizeMb` there ignores flags of the process.
 */
import v8 from 'node:v8';
import { resourceLimits } from 'node:worker_threads';

const mib = 1024 ** 2;

export interface OldSpaceFacts {
  readonly heapSizeLimit: number;
  readonly execArgv: readonly string[];
  readonly nodeOptions: string;
  /** `process.versions.v8`. */
  readonly v8Version: string;
  /** `resourceLimits` of a worker; the main thread has none. */
  readonly youngReserveMib: number | undefined;
}

export interface OldSpace {
  readonly bytes: number;
  /** How the figure was found, as it reads after "from". */
  readonly from: string;
}

/** Old space of this thread. */
export function oldSpace(facts: OldSpaceFacts = threadFacts()): OldSpace {
  const flags = [...splitOptions(facts.nodeOptions), ...facts.execArgv];
  const { heapSizeLimit } = facts;
  const asked = flagMib(flags, 'max-old-space-size');
  if (facts.youngReserveMib === undefined && asked !== undefined && asked * mib <= heapSizeLimit) {
    return { bytes: asked * mib, from: `--max-old-space-size=${asked}` };
  }
  const reserve = facts.youngReserveMib ?? 3 * semiSpaceMib(flags, facts.v8Version);
  const rest = heapSizeLimit - reserve * mib;
  // A limit on the whole heap makes V8 shrink the young part when there is little; half is then a careful guess.
  const shrinks = rest <= 0 || flagMib(flags, 'max-heap-size') !== undefined;
  const bytes = shrinks ? Math.max(rest, heapSizeLimit / 2) : rest;
  return { bytes, from: `heap_size_limit less ${reserve} MiB for the young generation` };
}

/** What this thread was started with. */
export function threadFacts(): OldSpaceFacts {
  return {
    heapSizeLimit: v8.getHeapStatistics().heap_size_limit,
    execArgv: process.execArgv,
    nodeOptions: process.env['NODE_OPTIONS'] ?? '',
    v8Version: process.versions.v8,
    youngReserveMib: resourceLimits.maxYoungGenerationSizeMb,
  };
}

function semiSpaceMib(flags: readonly string[], v8Version: string): number {
  const asked = flagMib(flags, 'max-semi-space-size');
  if (asked !== undefined && asked > 0) return 2 ** Math.ceil(Math.log2(asked));
  const [major = 0, minor = 0] = v8Version.split('.').map(Number);
  const version = major + minor / 10;
  if (version < 13) return 16;
  return version < 14 ? 64 : 32;
}

/** The last value of a flag, in either spelling; the command line comes after NODE_OPTIONS and wins. */
function flagMib(flags: readonly string[], name: string): number | undefined {
  let value: number | undefined;
  flags.forEach((flag, i) => {
    const [key, inline] = flag.replaceAll('_', '-').split('=', 2);
    if (key !== `--${name}`) return;
    const parsed = Number(inline ?? flags[i + 1]);
    if (Number.isFinite(parsed) && parsed > 0) value = parsed;
  });
  return value;
}

function splitOptions(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
