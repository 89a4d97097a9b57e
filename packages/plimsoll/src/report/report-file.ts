import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import type { Report } from '../run/report.ts';
import { traceDrawer } from '../screen/finding-text.ts';

/** The forms a report is written in. */
export type ReportFormat = 'json' | 'md' | 'html' | 'xml';

const byExtension: Readonly<Record<string, ReportFormat>> = {
  '.json': 'json',
  '.md': 'md',
  '.markdown': 'md',
  '.html': 'html',
  '.htm': 'html',
  '.xml': 'xml',
};

/** The form by the ending of a file's name; JSON by default. */
export function formatOf(file: string): ReportFormat {
  return byExtension[extname(file).toLowerCase()] ?? 'json';
}

/** The code of each form is loaded on demand. */
const renderers: Readonly<Record<ReportFormat, (report: Report) => Promise<string>>> = {
  json: async (report) => `${JSON.stringify(report, null, 2)}\n`,
  md: async (report) =>
    (await import('./markdown.ts')).reportMarkdown(report, await traceDrawer(report.findings)),
  html: async (report) => (await import('./html.ts')).reportHtml(report),
  xml: async (report) => (await import('./junit.ts')).reportJunit(report),
};

export function renderReport(report: Report, format: ReportFormat): Promise<string> {
  return renderers[format](report);
}

/** Writes a report into a file the user named, in the form of its ending. */
export async function writeReportFile(file: string, report: Report, format = formatOf(file)): Promise<void> {
  writeText(file, await renderReport(report, format));
}

/** Writes the findings files into a folder the user named and returns their names. */
export async function writeFindingsFiles(dir: string, report: Report): Promise<readonly string[]> {
  const { findingsFiles } = await import('./findings-files.ts');
  const files = findingsFiles(report);
  for (const [name, text] of Object.entries(files)) {
    const file = join(dir, name);
    makeFolderOf(file);
    writeText(file, text);
  }
  return Object.keys(files);
}

function makeFolderOf(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

function writeText(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

function cannotWrite(file: string, error: unknown): Error {
  return failure('PLM_CLI_CANNOT_WRITE', { file, reason: (error as Error).message }, { cause: error });
}

/** Largest report file. A report has a few MiB at most, so a larger file is something else. */
const mostBytes = 256 * 1024 ** 2;

/** Reads a report that one of our commands wrote as JSON. */
export function readReportFile(file: string): Report {
  let value: unknown;
  try {
    value = JSON.parse(readRegularText(file, { maxBytes: mostBytes }));
  } catch (error) {
    throw failure('PLM_REPORT_UNREADABLE', { file, reason: (error as Error).message }, { cause: error });
  }
  const fault = faultOf(value);
  if (fault !== undefined) throw failure('PLM_REPORT_UNREADABLE', { file, reason: fault });
  // A report of an older version has no series.
  return { ...(value as Report), series: (value as Partial<Report>).series ?? null };
}

function faultOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'it is no JSON object';
  const { plimsoll, verdict, findings, readings, exit, lives, processes } = value as Record<string, unknown>;
  if (typeof plimsoll !== 'string') return 'it has no field "plimsoll" with the version that wrote it';
  if (verdict !== 'clean' && verdict !== 'leak' && verdict !== 'undecided')
    return 'its "verdict" is not clean, leak or undecided';
  if (!Array.isArray(findings) || !Array.isArray(lives) || !Array.isArray(processes))
    return 'it lacks "findings", "lives" or "processes"';
  if (typeof readings !== 'object' || readings === null || typeof exit !== 'object' || exit === null)
    return 'it lacks "readings" or "exit"';
  return undefined;
}
