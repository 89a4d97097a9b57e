import { join } from 'node:path';
import { listing } from '@plimsoll/core/internal/listing';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import { removeFile } from '@plimsoll/core/internal/remove-file';

/** The fields of Node's fatal report that an autopsy uses. They contain no environment and no message of the program. */
export interface FatalReport {
  /** V8's words, e.g. "Allocation failed - JavaScript heap out of memory". */
  readonly event: string;
  readonly trigger: string;
  readonly heapUsedBytes: number | null;
  /** V8's limit of the heap that was full. */
  readonly heapLimitBytes: number | null;
  readonly frames: readonly string[];
  /** When it was written; null when unknown. */
  readonly at: number | null;
}

interface NodeReport {
  readonly header?: {
    readonly event?: unknown;
    readonly trigger?: unknown;
    readonly dumpEventTimeStamp?: unknown;
  };
  readonly javascriptStack?: { readonly stack?: unknown };
  readonly javascriptHeap?: { readonly usedMemory?: unknown; readonly memoryLimit?: unknown };
}

const mostFrames = 10;
const mostReports = 16;
const mostBytes = 16 * 1024 * 1024;

/** Reads the report that a process left in its folder; undefined when it left none. */
export function readFatalReport(dir: string, pid: number): FatalReport | undefined {
  try {
    const found = JSON.parse(
      readRegularText(fileOf(dir, pid), { maxBytes: mostBytes, noFollow: true }),
    ) as NodeReport;
    const { header = {}, javascriptStack = {}, javascriptHeap = {} } = found;
    const stack = Array.isArray(javascriptStack.stack) ? (javascriptStack.stack as unknown[]) : [];
    return {
      event: textOf(header.event),
      trigger: textOf(header.trigger),
      at: numberOf(Number(header.dumpEventTimeStamp ?? Number.NaN)),
      heapUsedBytes: numberOf(javascriptHeap.usedMemory),
      heapLimitBytes: numberOf(javascriptHeap.memoryLimit),
      frames: stack
        .map(textOf)
        .map((line) => line.replace(/^at /, ''))
        .filter((line) => /:\d+:\d+\)?$/.test(line) && !line.includes('node:internal'))
        .slice(0, mostFrames),
    };
  } catch {
    return undefined;
  }
}

/** The reports in a folder, with their process ids. */
export function fatalReportsIn(
  dir: string,
): readonly { readonly pid: number; readonly fatal: FatalReport }[] {
  return listing(dir)
    .flatMap((name) => /^fatal-(\d+)\.json$/.exec(name)?.[1] ?? [])
    .slice(0, mostReports)
    .flatMap((pid) => {
      const fatal = readFatalReport(dir, Number(pid));
      return fatal === undefined ? [] : [{ pid: Number(pid), fatal }];
    });
}

/** Removes the report, because it names the command line and the libraries of the machine. */
export function removeFatalReport(dir: string, pid: number): void {
  removeFile(fileOf(dir, pid));
}

function fileOf(dir: string, pid: number): string {
  return join(dir, `fatal-${pid}.json`);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 300) : '';
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
