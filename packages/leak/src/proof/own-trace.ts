import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TraceStep } from '@plimsoll/heap';
import { shortPath } from '@plimsoll/heap/internal/trace/script-place';

/** Files of our packages where they are installed. The preload is one bundle of most of them. */
const installed =
  /^(?:@plimsoll\/(?:core|leak|govern|keep|ledger|heap|adapters|host|pipeline)|plimsoll)\/(?:src|dist|bundle)\//;

/** Keepers hold data of the program, so a keeper in a container does not mean that we own the container. */
const keepers = /^@plimsoll\/keep\//;

/** Our packages in a checkout that run inside of a program. */
const inProgram = ['core', 'leak', 'govern', 'ledger', 'heap', 'adapters', 'host', 'pipeline'];

/**
 * Whether a trace shows our own cost and not a leak of the program: the growing container belongs to an object of ours, or the loaded
 * module is ours. The holder of the suspect reference decides, because a map of the program may hold our scopes and keepers.
 */
export function isOwnTrace(trace: readonly TraceStep[]): boolean {
  const suspect = trace.findLastIndex((step) => step.suspect);
  const above = suspect < 0 ? trace : trace.slice(0, suspect);
  const holder = above.findLast(({ at }) => at !== undefined);
  if (holder?.at !== undefined && !holder.at.startsWith('node:')) return isOwnPlace(holder.at);
  // The only place of a module variable of the program is the name of the module.
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

/** The sources of our packages in the form of a trace, for running from a checkout. A trace shows only the end of a path. */
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
