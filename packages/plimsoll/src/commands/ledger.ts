import { createWriteStream } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { once } from 'node:events';
import type { Command } from 'commander';
import { failure } from '@plimsoll/core/internal/errors';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import type { ChainHead, LedgerReader, WindowOptions } from '@plimsoll/ledger';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { ledgerDir } from '../ledger/ledger-dir.ts';
import { timeOption } from '../ledger/time-option.ts';
import type { ExportFormat, ExportPart } from '../ledger/export-rows.ts';
import type { AddCommand } from '../program.ts';

interface WindowFlags {
  readonly dir: string;
  readonly json?: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly run?: string;
  readonly limit?: string;
  readonly anchors?: string;
  readonly url?: string | true;
}

interface SummaryFlags extends WindowFlags {
  readonly by?: string;
}

interface ExportFlags extends WindowFlags {
  readonly format: string;
  readonly only?: string;
  readonly out?: string;
  readonly scope?: string;
}

const defaultDir = '.plimsoll/ledger';

const help = `
Example:
  plimsoll ledger summary                  the newest run, told from start to end
  plimsoll ledger growth --since 24h       bytes per hour of every scope
  plimsoll ledger export --since 1h --format csv > samples.csv
  plimsoll ledger verify                   recompute the hash chain of the audit`;

export const addLedgerCommand: AddCommand = (program, io, done) => {
  const ledger = program
    .command('ledger')
    .description('read the history: summary, growth, export, verify')
    .addHelpText('after', help);
  windowOptions(
    ledger
      .command('summary')
      .description('what happened in a run: limit, levels, peak, growth, findings, end'),
  )
    .option('--run <id>', 'this run instead of the newest')
    .option('--by <what>', 'table by kind, service or scope', 'service')
    .option('--limit <rows>', 'rows of the table', '15')
    .addHelpText('after', '\nExample:\n  plimsoll ledger summary --by scope --limit 30')
    .action(async (flags: SummaryFlags) =>
      done(await reading(flags, io, (reader) => summary(reader, flags, io))),
    );
  windowOptions(
    ledger.command('growth').description('bytes per hour of every scope, by a least-squares line'),
  )
    .option('--run <id>', 'one run only')
    .option('--limit <rows>', 'rows of the table', '20')
    .addHelpText('after', '\nExample:\n  plimsoll ledger growth --since 24h --json')
    .action(async (flags: WindowFlags) =>
      done(await reading(flags, io, (reader) => growth(reader, flags, io))),
    );
  windowOptions(ledger.command('export').description('samples and audit entries as lines of text'))
    .option('--format <format>', 'ndjson or csv', 'ndjson')
    .option('--only <part>', 'samples or audit; csv without it is samples')
    .option('--run <id>', 'one run only')
    .option('--scope <path>', 'one scope path only')
    .option('--out <file>', 'write a file (0600) instead of standard output')
    .addHelpText('after', '\nExample:\n  plimsoll ledger export --format ndjson --since 7d --out week.ndjson')
    .action(async (flags: ExportFlags) =>
      done(await reading(flags, io, (reader) => exportRows(reader, flags, io))),
    );
  dirOption(
    ledger
      .command('verify')
      .description('recompute the hash chain of the audit; exit code 2 when it is broken'),
  )
    .option('--anchors <file>', 'compare with the heads in this file, one JSON line each')
    .option('--url [url]', "the chains in the fleet's database; PLIMSOLL_LEDGER_URL without a value")
    .addHelpText('after', '\nExample:\n  plimsoll ledger verify --json')
    .action(async (flags: WindowFlags) => {
      const { url } = flags;
      if (url === undefined) return done(await reading(flags, io, (reader) => verify(reader, flags, io)));
      const { verifyFleet } = await import('../ledger/fleet-ledger.ts');
      return done(await verifyFleet({ ...flags, url }, io));
    });
  ledger
    .command('migrate')
    .description("bring the tables of the fleet's database forward to this version")
    .option('--url [url]', 'the database; PLIMSOLL_LEDGER_URL without a value', true)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  plimsoll ledger migrate --url postgres://owner@db.internal/plimsoll')
    .action(async (flags: { url: string | true; json?: boolean }) => {
      const { migrateFleet } = await import('../ledger/fleet-ledger.ts');
      done(await migrateFleet(flags, io));
    });
};

function dirOption(command: Command): Command {
  return command
    .option('--dir <folder>', 'folder of the ledger, or the .plimsoll folder above it', defaultDir)
    .option('--json', 'print JSON');
}

function windowOptions(command: Command): Command {
  return dirOption(command)
    .option('--since <time>', 'from this time: "24h" ago or "2026-07-01T10:00:00Z"')
    .option('--until <time>', 'up to this time, in the same forms');
}

async function reading(
  flags: WindowFlags,
  io: Io,
  work: (reader: LedgerReader) => Promise<number>,
): Promise<number> {
  const { LedgerReader } = await import('@plimsoll/ledger');
  const reader = new LedgerReader(ledgerDir(resolve(io.cwd, flags.dir)));
  try {
    return await work(reader);
  } finally {
    reader.close();
  }
}

async function summary(reader: LedgerReader, flags: SummaryFlags, io: Io): Promise<number> {
  const { storyText } = await import('../ledger/story-text.ts');
  const by = choice('--by', flags.by ?? 'service', ['kind', 'service', 'scope'] as const);
  const wanted = integer('--run', flags.run);
  const story = reader.story(wanted) ?? null;
  if (story === null && wanted !== undefined) {
    const known = reader.runs().map((run) => run.run);
    throw failure('PLM_CLI_BAD_OPTION', {
      option: '--run',
      value: String(wanted),
      accepted: `one of ${known.slice(0, 10).join(', ')}`,
    });
  }
  const window = { ...windowOf(flags), run: story?.run };
  const found = {
    dir: reader.dir,
    story,
    summary: reader.summary({ ...window, by, limit: integer('--limit', flags.limit) ?? 15 }),
    growth: reader.growth(window),
    otherRuns: reader.runs().filter((run) => run.run !== story?.run),
  };
  io.stdout.write(flags.json === true ? json(found) : storyText(found));
  return exitCode.fine;
}

async function growth(reader: LedgerReader, flags: WindowFlags, io: Io): Promise<number> {
  const { growthText } = await import('../ledger/growth-text.ts');
  const found = reader.growth(windowOf(flags));
  io.stdout.write(
    flags.json === true ? json(found) : growthText(found, integer('--limit', flags.limit) ?? 20),
  );
  return exitCode.fine;
}

async function exportRows(reader: LedgerReader, flags: ExportFlags, io: Io): Promise<number> {
  const { exportLines } = await import('../ledger/export-rows.ts');
  const format = choice<ExportFormat>('--format', flags.format, ['ndjson', 'csv']);
  const only =
    flags.only === undefined ? undefined : choice<ExportPart>('--only', flags.only, ['samples', 'audit']);
  const parts: readonly ExportPart[] =
    only === undefined ? (format === 'csv' ? ['samples'] : ['samples', 'audit']) : [only];
  const out =
    flags.out === undefined ? io.stdout : createWriteStream(resolve(io.cwd, flags.out), { mode: 0o600 });
  const lines = exportLines(reader, format, parts, { ...windowOf(flags), scope: flags.scope });
  const written = await pour(lines, out, io);
  if (flags.out === undefined) return exitCode.fine;
  out.end();
  await once(out, 'finish');
  if (flags.json === true) io.stdout.write(json({ file: flags.out, lines: written }));
  else io.stderr.write(`${written.toLocaleString('en-US')} lines written to ${flags.out}\n`);
  return exitCode.fine;
}

/** Writes the lines as fast as the reader of the output takes them. On a terminal it shows a count when this takes long. */
async function pour(lines: Iterable<string>, out: Writable, io: Io): Promise<number> {
  const broken = new Promise<never>((_, reject) => out.once('error', (error) => reject(explain(error, out))));
  broken.catch(() => undefined);
  let written = 0;
  let chunk = '';
  let shown = performance.now();
  const flush = async (): Promise<void> => {
    if (!out.write(chunk)) await Promise.race([once(out, 'drain'), broken]);
    chunk = '';
    if (io.stderr.isTTY !== true || performance.now() - shown < 1000) return;
    shown = performance.now();
    io.stderr.write(`\r${written.toLocaleString('en-US')} lines`);
  };
  for (const line of lines) {
    chunk += `${line}\n`;
    written++;
    if (chunk.length > 65_536) await flush();
  }
  if (chunk !== '') await flush();
  return written;
}

function explain(error: NodeJS.ErrnoException, out: Writable): Error {
  const file = 'path' in out ? String(out.path) : 'standard output';
  return failure('PLM_CLI_CANNOT_WRITE', { file, reason: error.message }, { cause: error });
}

async function verify(reader: LedgerReader, flags: WindowFlags, io: Io): Promise<number> {
  const check = reader.verifyChain(anchorsOf(flags.anchors, io));
  if (check === undefined) throw failure('PLM_LEDGER_NOT_FOUND', { dir: join(reader.dir, 'audit.db') });
  if (flags.json === true) io.stdout.write(json(check));
  if (check.broken !== undefined) {
    const file = join(reader.dir, 'audit.db');
    if (flags.json !== true) {
      io.stderr.write(
        `${String(failure('PLM_LEDGER_CHAIN_BROKEN', { file, rows: check.rows, ...check.broken }))}\n`,
      );
    }
    return check.broken.why === 'malformed' ? exitCode.usage : exitCode.finding;
  }
  if (flags.json === true) return exitCode.fine;
  const pruned = check.prunedUpTo === 0 ? '' : `; entries up to ${check.prunedUpTo} left by retention`;
  io.stdout.write(
    `${check.rows.toLocaleString('en-US')} audit entries, the chain is whole${pruned}\nhead ${check.head.seq} ${check.head.hash}\n`,
  );
  return exitCode.fine;
}

/** Heads of the chain that were kept elsewhere. */
function anchorsOf(file: string | undefined, io: Io): ChainHead[] {
  if (file === undefined) return [];
  const bad = (accepted: string): Error =>
    failure('PLM_CLI_BAD_OPTION', { option: '--anchors', value: file, accepted });
  let text: string;
  try {
    text = readRegularText(resolve(io.cwd, file), { maxBytes: 64 * 1024 ** 2 });
  } catch {
    throw bad('a file that can be read');
  }
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      try {
        const { seq, hash } = JSON.parse(line) as Partial<ChainHead>;
        if (Number.isSafeInteger(seq) && typeof hash === 'string') return { seq: seq as number, hash };
      } catch {
        // Told below.
      }
      throw bad('lines such as {"seq":118,"hash":"9f2c…"}');
    });
}

function windowOf(flags: WindowFlags): WindowOptions {
  const now = Date.now();
  return {
    since: timeOption('--since', flags.since, now),
    until: timeOption('--until', flags.until, now),
    run: integer('--run', flags.run),
  };
}

function choice<T extends string>(option: string, value: string, accepted: readonly T[]): T {
  const found = accepted.find((item) => item === value);
  if (found === undefined) {
    throw failure('PLM_CLI_BAD_OPTION', { option, value, accepted: `one of ${accepted.join(', ')}` });
  }
  return found;
}

function integer(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw failure('PLM_CLI_BAD_OPTION', { option, value, accepted: 'a whole number above 0' });
  }
  return number;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
