import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '@plimsoll/core/internal/replace-file';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import {
  fatalReportsIn,
  isSetAside,
  leftBeside,
  readBlackBoxes,
  takeRemains,
} from '@plimsoll/host/protocol/death';
import type { BlackBox } from '@plimsoll/host/protocol/death';
import { autopsyOf } from './autopsy.ts';
import type { Autopsy } from './autopsy.ts';
import { nobody } from './cause.ts';
import type { DeathEvidence } from './cause.ts';

/** Most autopsies that a folder keeps. */
const mostKept = 16;
const mostBytes = 1024 * 1024;
/** A box of a living process that was written within this time is not examined. */
const freshMs = 15_000;

/** Examines a process that has just ended by its files in the folder, and keeps the autopsy of a death there. */
export function examine(
  dir: string,
  pid: number,
  target: string,
  seen: Omit<DeathEvidence, 'box' | 'fatal'>,
): Autopsy {
  const autopsy = autopsyOf(pid, target, { ...seen, ...takeRemains(dir, pid) });
  if (autopsy.isDeath) keep(dir, autopsy);
  return autopsy;
}

/**
 * Every death in a folder, the newest first: kept autopsies, boxes whose process ended unseen, and reports of Node.js of processes that
 * died before they had a box.
 */
export function autopsiesIn(dir: string, now = Date.now()): readonly Autopsy[] {
  const kept = keptFiles(dir).flatMap((file) => {
    try {
      return [JSON.parse(readRegularText(file, { maxBytes: mostBytes, noFollow: true })) as Autopsy];
    } catch {
      return [];
    }
  });
  const unseen = readBlackBoxes(dir)
    .filter((box) => !isRunning(box, now))
    .map((box) => {
      const { pid, target } = box.start;
      return autopsyOf(pid, target, { ...nobody, box, ...leftBeside(dir, box) });
    });
  const boxed = new Set(readBlackBoxes(dir).map(({ start }) => start.pid));
  const young = fatalReportsIn(dir)
    .filter(({ pid }) => !boxed.has(pid))
    .map(({ pid, fatal }) =>
      autopsyOf(pid, 'a process that died before its first reading', {
        ...nobody,
        endedAt: fatal.at,
        box: undefined,
        fatal,
      }),
    );
  return [...kept, ...unseen, ...young]
    .filter(({ isDeath }) => isDeath)
    .sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0));
}

/** The folder may be a copy from another machine, where a process id has no meaning. So the last record must be recent, too. */
function isRunning(box: BlackBox, now: number): boolean {
  const { start, records } = box;
  return !isSetAside(box) && isAlive(start.pid) && now - (records.at(-1)?.at ?? start.at) < freshMs;
}

function keep(dir: string, autopsy: Autopsy): void {
  try {
    const at = String(autopsy.endedAt ?? 0).padStart(15, '0');
    replaceFile(join(dir, `autopsy-${at}-${autopsy.pid}.json`), `${JSON.stringify(autopsy)}\n`);
    for (const file of keptFiles(dir).slice(mostKept)) removeFile(file);
  } catch {
    // The autopsy was printed. Only a later `plimsoll autopsy` will not find it.
  }
}

/** The newest first. */
function keptFiles(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
      .filter((name) => /^autopsy-\d+-\d+\.json$/.test(name))
      .sort()
      .reverse()
      .map((name) => join(dir, name));
  } catch {
    return [];
  }
}
