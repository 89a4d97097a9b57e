import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TraceStep } from '@plimsoll/heap';
import { shortPath } from '@plimsoll/heap/internal/trace/script-place';

/** Files of our packages where they are installed. The preload is one bundle of most of them. */
const installed =
  /^(?:@plimsoll\/(?:core|leak|govern|keep|ledger|heap|adapters|host|pipeline)|plimsoll)\/(?:src|dist|bundle)\//;

/** Keepers hold data of the program: one among the entries of a container says nothing about who owns the container. */
const keepers = /^@plimsoll\/keep\//;

/** Our packages in a checkout that run inside of a program. */
const inProgram = ['core', 'leak', 'govern', 'ledger', 'heap', 'adapters', 'host', 'pipeline'];

/**
 * Whether a trace shows our own cost and not a leak of the program: the growing container belongs to an object of ours, or we are what
 * was loaded. It goes by who holds the suspect reference, because a map of the program may hold scopes and keepers of ours.
 */
export function isOwnTrace(trace: readonly TraceStep[]): boolean {
  const suspect = trace.findLastIndex((step) => step.suspect);
  const above = suspect < 0 ? trace : trace.slice(0, suspect);
  const holder = above.findLast(({ at }) => at !== undefined);
  if (holder?.at !== undefined && !holder.at.startsWith('node:')) return isOwnPlace(holder.at);
  // A variable of a module of the program has no other place than the name of the module.
  if (suspect >= 0 && trace[0]?.name.startsWith('module ') === true) return false;
  return trace.some(({ at }) => at !== undefined && !keepers.test(at) && isOwnPlace(at));
}

function isOwnPlace(place: string): boolean {
  return installed.test(place) || checkout().has(fileOf(place));
}

/** The file of a place such as `sense/census/census.ts:101`. */
function fileOf(place: string): string {
  return /^(.*?):\d+/.exec(place)?.[1] ?? place;
}

let own: ReadonlySet<string> | undefined;

/** The sources of our packages as a trace names them, where they are not installed but run from a checkout. A trace shows the end of a path only. */
function checkout(): ReadonlySet<string> {
  return (own ??= new Set(
    import.meta.dirname.includes('/node_modules/') ? [] : inProgram.flatMap(sourcesOf),
  ));
}

function sourcesOf(name: string): readonly string[] {
  const folder = resolve(import.meta.dirname, '../../..', name, 'src');
  try {
    return (
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        // Programs of our tests leak on purpose.
        .filter((file) => file.endsWith('.ts') && !/\.(?:test|fixture)\.ts$/.test(file))
        .map((file) => shortPath(join(folder, file)))
    );
  } catch {
    return [];
  }
}
