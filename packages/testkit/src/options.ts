import { resolve } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { parseByteSize, parseDuration } from '@plimsoll/core/units';
import type { Ignore } from './growth/growth-rows.ts';
import type { GrowthSettings } from './growth/growth-check.ts';

export interface GrowthOptions {
  /** Name of one call in the report: `call` (default), `session`, `request`. */
  readonly per?: string;
  /** The name of the function in the report; default its source text. */
  readonly name?: string;
  /** Bytes per call that count as no leak, as a number or a size; default 16. Smaller growth is ignored. */
  readonly tolerance?: number | string;
  /** Calls before the first reading; default 0, because the warm-up is detected. Set it above the bound of a cache that fills slowly. */
  readonly warmup?: number;
  /** Time for calls before snapshots are taken, in ms or as a duration; default 20 s. */
  readonly patience?: number | string;
  /** Awaited before each reading, for work that goes on after a call has returned. */
  readonly settle?: () => unknown;
  /** Growing paths that are known and accepted; each needs its reason. */
  readonly ignore?: readonly Ignore[];
  /** Folder for the snapshots of a failure; default `.plimsoll`. */
  readonly dir?: string;
}

const defaultTolerance = 16;
const defaultPatienceMs = 20_000;

export function growthSettings(work: (call: number) => unknown, options: GrowthOptions): GrowthSettings {
  checkWork(work);
  const { warmup = 0, ignore = [], settle } = options;
  if (!Number.isInteger(warmup) || warmup < 0)
    throw failure('PLM_TESTKIT_OPTION', {
      option: 'warmup',
      value: String(warmup),
      accepted: 'a whole number of calls, 0 or more',
    });
  ignore.forEach(({ through, why }, i) => {
    if (typeof why !== 'string' || why.trim() === '')
      throw failure('PLM_TESTKIT_OPTION', {
        option: `ignore[${i}].why`,
        value: 'missing',
        accepted: 'the reason, such as "cache, #12"',
      });
    if (through === '')
      throw failure('PLM_TESTKIT_OPTION', {
        option: `ignore[${i}].through`,
        value: 'empty',
        accepted: 'a part of the path, such as "ToolRegistry.schemas"',
      });
  });
  return {
    name: options.name ?? nameOf(work),
    per: options.per ?? 'call',
    toleranceBytes: bytesOf(options.tolerance ?? defaultTolerance, 'tolerance'),
    warmup,
    patienceMs: msOf(options.patience ?? defaultPatienceMs, 'patience'),
    ignore,
    dir: dirOf(options.dir),
    settle,
  };
}

export function dirOf(dir: string | undefined): string {
  return resolve(dir ?? '.plimsoll');
}

export function checkWork(work: unknown): void {
  if (typeof work === 'function') return;
  throw failure('PLM_TESTKIT_OPTION', {
    option: 'the checked value',
    value: work === null ? 'null' : typeof work,
    accepted: 'a function that the kit may call again and again',
  });
}

export function bytesOf(value: number | string, option: string): number {
  const bytes = typeof value === 'number' ? value : parseByteSize(value);
  if (bytes !== undefined && Number.isFinite(bytes) && bytes >= 0) return bytes;
  throw failure('PLM_TESTKIT_OPTION', {
    option,
    value: JSON.stringify(value),
    accepted: 'bytes as a number or a size such as "24 MiB"',
  });
}

export function msOf(value: number | string, option: string): number {
  const ms = typeof value === 'number' ? value : parseDuration(value);
  if (ms !== undefined && Number.isFinite(ms) && ms >= 0) return ms;
  throw failure('PLM_TESTKIT_OPTION', {
    option,
    value: JSON.stringify(value),
    accepted: 'ms as a number or a duration such as "20 s"',
  });
}

const longestName = 60;

/** Name of a function for a reader: its name, or the call inside an arrow function. */
export function nameOf(work: (call: number) => unknown): string {
  if (work.name !== '') return work.name;
  const text = work
    .toString()
    .replaceAll(/\s+/g, ' ')
    .replace(/^(?:async )?\([^)]*\) => (?:\{ ?)?/, '')
    .replace(/ ?\}$/, '')
    .replace(/^(?:await|return) /, '')
    .replace(/;$/, '');
  return text.length > longestName ? `${text.slice(0, longestName - 1)}…` : text;
}
