import { resolve } from 'node:path';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';
import { countOption, severityOption } from './heap-options.ts';
import { ProgressLine } from './progress-line.ts';

const help = `
Example:
  plimsoll diff before.heapsnapshot after.heapsnapshot
  plimsoll diff 1.heapsnapshot 2.heapsnapshot 3.heapsnapshot --fail-on high

Snapshots in the order they were taken; with three or more, only what grows in every step counts.
Exit code 0, 1 when a file cannot be read, 2 with --fail-on when growth is at or above the bar.`;

interface DiffFlags {
  readonly json?: boolean;
  readonly top: string;
  readonly showStrings?: boolean;
  readonly keepName?: readonly string[];
  readonly failOn?: string;
}

export const addDiffCommand: AddCommand = (program, io, done) => {
  program
    .command('diff')
    .description('say what grew between heap snapshots, by the path that holds it')
    .argument('<files...>', 'two or more snapshots, oldest first')
    .option('--json', 'print the comparison as JSON')
    .option('--top <n>', 'rows of the constructor table', '20')
    .option('--show-strings', 'show string values and keys as they are; they may be secrets')
    .option('--keep-name <name...>', 'property names to show although no code mentions them')
    .option(
      '--fail-on <severity>',
      'exit with 2 when growth is at or above: info, low, medium, high, critical',
    )
    .addHelpText('after', help)
    .action(async (files: string[], flags: DiffFlags) => {
      done(await compare(files, flags, io));
    });
};

async function compare(files: readonly string[], flags: DiffFlags, io: Io): Promise<number> {
  const bar = flags.failOn === undefined ? undefined : await severityOption(flags.failOn);
  const top = await countOption('--top', flags.top);
  const [heap, report] = await Promise.all([import('@plimsoll/heap'), import('@plimsoll/heap/report')]);
  const progress = new ProgressLine(io);
  try {
    const result = await heap.diff(
      files.map((file) => resolve(io.cwd, file)),
      {
        top,
        showStrings: flags.showStrings ?? false,
        keepNames: flags.keepName ?? [],
        onProgress: ({ phase, ratio }) =>
          progress.show(ratio > 0 ? `${phase} ${Math.round(ratio * 100)} %` : phase),
      },
    );
    progress.clear();
    const named = { ...result, files };
    const paint =
      io.stdout.isTTY === true && io.env['NO_COLOR'] === undefined ? report.colours : report.plain;
    io.stdout.write(
      flags.json === true ? `${JSON.stringify(named, null, 2)}\n` : report.diffText(named, { paint }),
    );
    return bar !== undefined && heap.isAtLeast(result.severity, bar) ? exitCode.finding : exitCode.fine;
  } finally {
    progress.clear();
  }
}
