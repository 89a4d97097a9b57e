import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import { replaceFile } from '@plimsoll/core/internal/replace-file';

/**
 * The phases of a handover from one life of a program to the next.
 * - `wanted`: the old life asks for a next one.
 * - `starting`: the supervisor starts it. `alone`: the supervisor does not, and says why.
 * - `ready`: the next life is about to listen.
 * - `listening`: the next life listens on sockets of the old life.
 * - `handed`: the old life has stopped listening and has parked unused sessions.
 */
export const handoverPhases = ['wanted', 'starting', 'alone', 'ready', 'listening', 'handed'] as const;

/** The one handover of a folder. Old life, supervisor and next life write it in turns, each its own phases. */
export interface Handover {
  readonly v: 1;
  readonly phase: (typeof handoverPhases)[number];
  /** Process id of the old life. */
  readonly from: number;
  /** Most bytes that the next life may take beside the old one; null when the supervisor decides. */
  readonly mostBytes: number | null;
  /** Process id of the next life, from `ready` on. */
  readonly to?: number;
  /** Why there is no next life, with `alone`. */
  readonly why?: string;
  /** Marks of sessions that the old life still uses, with `handed`. */
  readonly held?: readonly string[];
}

const longestFile = 4 * 1024 * 1024;

function handoverFile(dir: string): string {
  return join(dir, 'handover.json');
}

/** The handover of a folder; undefined when there is none that can be read. */
export function readHandover(dir: string): Handover | undefined {
  try {
    const text = readRegularText(handoverFile(dir), { maxBytes: longestFile, noFollow: true });
    const found = JSON.parse(text) as Partial<Handover> | null;
    const isWhole =
      found?.v === 1 &&
      Number.isSafeInteger(found.from) &&
      handoverPhases.some((phase) => phase === found.phase);
    return isWhole ? (found as Handover) : undefined;
  } catch {
    return undefined;
  }
}

export function writeHandover(dir: string, handover: Omit<Handover, 'v'>): void {
  replaceFile(handoverFile(dir), `${JSON.stringify({ v: 1, ...handover })}\n`);
}

/** Hash that replaces the id of a session in the file, because ids may be secrets. */
export function sessionMark(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 20);
}
