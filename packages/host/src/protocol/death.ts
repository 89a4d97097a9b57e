/**
 * The files that an ended process left in its folder: the black box, its last words and the report of Node.js. An autopsy reads these. They
 * hold names and numbers only.
 */
import { removeFile } from '@plimsoll/core/internal/remove-file';
import { boxFile, readBlackBox, removeBox } from './black-box.ts';
import type { BlackBox } from './black-box.ts';
import { readFatalReport, removeFatalReport } from './fatal-report.ts';
import type { FatalReport } from './fatal-report.ts';
import { lastWordsFile, readLastWords } from './last-words.ts';
import type { LastWords } from './last-words.ts';

export type { BlackBox, BoxError, BoxExit, BoxReading } from './black-box.ts';
export { isSetAside, readBlackBoxes } from './black-box.ts';
export { fatalReportsIn } from './fatal-report.ts';
export type { FatalReport } from './fatal-report.ts';
export type { LastWords } from './last-words.ts';

/** Body of an entry of the kind `black-box`: the next process in the folder sends it to the fleet. */
export interface DeathRecord {
  readonly pid: number;
  /** Its last sign of life. */
  readonly at: number;
  readonly box: Pick<BlackBox, 'start' | 'records' | 'torn'>;
  readonly fatal: FatalReport | null;
  readonly lastWords: LastWords | null;
}

/** The files of one ended process. */
export interface Remains {
  readonly box: BlackBox | undefined;
  readonly fatal: FatalReport | undefined;
  readonly lastWords: LastWords | undefined;
}

/** Reads the files of a process that has just ended, and removes them, because the report of Node.js has details of the machine. */
export function takeRemains(dir: string, pid: number): Remains {
  const box = boxFile(dir, pid);
  const remains = {
    box: readBlackBox(box),
    fatal: readFatalReport(dir, pid),
    lastWords: readLastWords(dir, pid),
  };
  removeFile(lastWordsFile(dir, pid));
  removeFatalReport(dir, pid);
  removeBox(box);
  return remains;
}

/** Most ms between the last reading and a file that belongs to it. */
const lateMs = 120_000;

/**
 * The report of Node.js and the last words that belong to a box. Their files are named by process id, and a later process may have the same
 * one, so their time has to match too.
 */
export function leftBeside(dir: string, { start, records }: BlackBox): Omit<Remains, 'box'> {
  const end = (records.at(-1)?.at ?? start.at) + lateMs;
  const fits = (at: number | null): boolean => at === null || (at >= start.at && at <= end);
  const fatal = readFatalReport(dir, start.pid);
  const lastWords = readLastWords(dir, start.pid);
  return {
    fatal: fatal !== undefined && fits(fatal.at) ? fatal : undefined,
    lastWords: lastWords !== undefined && fits(lastWords.at) ? lastWords : undefined,
  };
}
