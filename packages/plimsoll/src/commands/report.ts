import { basename, extname, join, resolve } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { ledgerDir } from '../ledger/ledger-dir.ts';
import { timeOption } from '../ledger/time-option.ts';
import type { AddCommand } from '../program.ts';
import type { Report } from '../run/report.ts';
import type { ReportFormat } from '../report/report-file.ts';

interface ReportOptions {
  readonly html?: string | true;
  readonly md?: string | true;
  readonly junit?: string | true;
  readonly json?: string | true;
  readonly findings?: string;
  readonly since?: string;
  readonly until?: string;
  readonly dir: string;
}

const help = `
Example:
  plimsoll report out.json --html               writes out.html beside it
  plimsoll report out.json --md                 prints Markdown for a pull request
  plimsoll report out.json --junit junit.xml
  plimsoll report --since 7d --html week.html   what the ledger says about the last week
  plimsoll report out.json --findings found/    strengths.json, bugs.json, dx.json, improvements.json, results/`;

export const addReportCommand: AddCommand = (program, io, done) => {
  program
    .command('report')
    .description('write a report as a page, Markdown or JUnit; or one over the history in the ledger')
    .argument('[file]', 'a JSON report of run, attach, stress or gate; without it the ledger is read')
    .option('--html [file]', 'a self-contained page; beside the report without a name')
    .option('--md [file]', 'Markdown of at most 60 lines; printed without a name')
    .option('--junit [file]', 'JUnit XML; printed without a name')
    .option('--json [file]', 'the report itself; printed without a name')
    .option(
      '--findings <folder>',
      'a folder with strengths, bugs, dx, improvements and results as JSON files',
    )
    .option('--since <time>', 'read the ledger from this time: "7d" ago or "2026-07-01T10:00:00Z"')
    .option('--until <time>', 'up to this time, in the same forms')
    .option('--dir <folder>', 'folder of the ledger, or the .plimsoll folder above it', '.plimsoll/ledger')
    .addHelpText('after', help)
    .action(async (file: string | undefined, options: ReportOptions) => {
      done(await report(file, options, io));
    });
};

async function report(file: string | undefined, options: ReportOptions, io: Io): Promise<number> {
  const { readReportFile, writeFindingsFiles } = await import('../report/report-file.ts');
  const isLedger = options.since !== undefined || options.until !== undefined;
  if (file !== undefined && isLedger)
    throw failure('PLM_CLI_BAD_OPTION', {
      option: options.since === undefined ? '--until' : '--since',
      value: options.since ?? options.until ?? '',
      accepted: 'given without a file: it reads the ledger',
    });
  const found = file === undefined ? await overLedger(options, io) : readReportFile(resolve(io.cwd, file));
  const page =
    file === undefined ? 'plimsoll-report.html' : join(file, '..', `${basename(file, extname(file))}.html`);
  const wanted: (readonly [ReportFormat, string | true | undefined])[] = [
    ['html', options.html === true ? page : options.html],
    ['md', options.md],
    ['xml', options.junit],
    ['json', options.json],
  ];
  for (const [format, target] of wanted) if (target !== undefined) await put(found, format, target, io);
  if (options.findings !== undefined) {
    const names = await writeFindingsFiles(resolve(io.cwd, options.findings), found);
    io.stderr.write(`${options.findings}: ${names.join(', ')}\n`);
  }
  if (options.findings === undefined && wanted.every(([, target]) => target === undefined)) {
    const { reportText } = await import('../report/text.ts');
    io.stdout.write(await reportText(found));
  }
  return exitCode.fine;
}

async function put(found: Report, format: ReportFormat, target: string | true, io: Io): Promise<void> {
  const { renderReport, writeReportFile } = await import('../report/report-file.ts');
  if (target === true || target === '-') {
    io.stdout.write(await renderReport(found, format));
    return;
  }
  await writeReportFile(resolve(io.cwd, target), found, format);
  io.stderr.write(`${target} written\n`);
}

async function overLedger(options: ReportOptions, io: Io): Promise<Report> {
  const { LedgerReader } = await import('@plimsoll/ledger');
  const { ledgerReport } = await import('../report/ledger-report.ts');
  const now = Date.now();
  const reader = new LedgerReader(ledgerDir(resolve(io.cwd, options.dir)));
  try {
    return ledgerReport(reader, {
      since: timeOption('--since', options.since, now),
      until: timeOption('--until', options.until, now),
    });
  } finally {
    reader.close();
  }
}
