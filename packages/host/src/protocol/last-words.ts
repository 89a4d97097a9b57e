import { join } from 'node:path';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';

/**
 * A place in the code: live bytes that were allocated there or, where allocations were followed for long, the bytes that it adds per hour.
 */
export interface LastSite {
  readonly name: string;
  readonly where: string;
  readonly bytes?: number;
  readonly bytesPerHour?: number;
}

/** A Map, Set, array or the like that grew, by the path that names it. */
export interface LastContainer {
  readonly name: string;
  readonly entries: number;
  /** Entries added since it was first counted. */
  readonly gained: number;
}

/** The file that a process writes when its end is near. Names and numbers only. */
export interface LastWords {
  readonly v: 1;
  readonly at: number;
  /** Places that allocated the memory that was alive then, largest first; empty when sampling was not possible. */
  readonly sites: readonly LastSite[];
  /** Containers of the program that grew, as far as they were counted. */
  readonly containers?: readonly LastContainer[];
  readonly scopes: readonly (readonly [path: string, bytes: number])[];
  readonly keepers: readonly (readonly [name: string, bytes: number])[];
  /** Whether V8 was asked for a snapshot at its limit; null when nobody wanted one. */
  readonly snapshot: {
    readonly state: 'armed' | 'refused';
    readonly neededBytes: number;
    readonly freeBytes: number;
  } | null;
}

const mostBytes = 256 * 1024;

export function lastWordsFile(dir: string, pid: number): string {
  return join(dir, `last-words-${pid}.json`);
}

/** The last words of a process; undefined when there are none that can be read. */
export function readLastWords(dir: string, pid: number): LastWords | undefined {
  try {
    const text = readRegularText(lastWordsFile(dir, pid), { maxBytes: mostBytes, noFollow: true });
    const words = JSON.parse(text) as LastWords;
    return words.v === 1 && Array.isArray(words.sites) ? words : undefined;
  } catch {
    return undefined;
  }
}
