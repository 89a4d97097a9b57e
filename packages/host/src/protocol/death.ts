/** What a process that ended unseen left in its folder, as the next one there sends it to the fleet. Names and numbers only. */
import type { BlackBox } from './black-box.ts';
import { readFatalReport } from './fatal-report.ts';
import type { FatalReport } from './fatal-report.ts';
import { readLastWords } from './last-words.ts';
import type { LastWords } from './last-words.ts';

export { fatalReportsIn, readFatalReport, removeFatalReport } from './fatal-report.ts';
export type { FatalReport } from './fatal-report.ts';

/** Body of an entry of the kind `black-box`. */
export interface DeathRecord {
  readonly pid: number;
  /** Its last sign of life. */
  readonly at: number;
  readonly box: Pick<BlackBox, 'start' | 'records' | 'torn'>;
  readonly fatal: FatalReport | null;
  readonly lastWords: LastWords | null;
}

/** Records that go to the fleet: the oldest one of the box, to say what grew, and the newest ones. With 2 KiB each they fit into one entry. */
const mostRecords = 24;
/** Written after the last reading, at most so much later. Milliseconds. */
const lateMs = 120_000;

/**
 * The report of Node.js and the last words that belong to a box. Their files are named by the number of the process, which the next
 * process may have again, so their time has to fit.
 */
export function leftBeside(
  dir: string,
  { start, records }: BlackBox,
): { readonly fatal: FatalReport | undefined; readonly lastWords: LastWords | undefined } {
  const end = (records.at(-1)?.at ?? start.at) + lateMs;
  const fits = (at: number | null): boolean => at === null || (at >= start.at && at <= end);
  const fatal = readFatalReport(dir, start.pid);
  const lastWords = readLastWords(dir, start.pid);
  return {
    fatal: fatal !== undefined && fits(fatal.at) ? fatal : undefined,
    lastWords: lastWords !== undefined && fits(lastWords.at) ? lastWords : undefined,
  };
}

/** What the fleet is told of a box. */
export function deathRecord(dir: string, box: BlackBox): DeathRecord {
  const { start, records, torn } = box;
  const { fatal = null, lastWords = null } = leftBeside(dir, box);
  const kept =
    records.length <= mostRecords ? records : [...records.slice(0, 1), ...records.slice(1 - mostRecords)];
  return {
    pid: start.pid,
    at: records.at(-1)?.at ?? start.at,
    box: { start, records: kept, torn },
    fatal,
    lastWords,
  };
}
