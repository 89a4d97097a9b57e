import { resolve } from 'node:path';
import type { Snapshot } from '@plimsoll/heap';
import type { Paint } from '@plimsoll/heap/report';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';
import { badOption, countOption, severityOption } from './heap-options.ts';
import { ProgressLine } from './progress-line.ts';

const help = `
Example:
  plimsoll analyze app.heapsnapshot
  plimsoll analyze app.heapsnapshot --html report.html
  plimsoll analyze app.heapsnapshot --node 48211
  plimsoll analyze app.heapsnapshot --retainers Session --json
  gunzip < app.heapsnapshot.gz | plimsoll analyze -

String values and keys are redacted unless --show-strings is given.
Exit code 0, 1 when the file cannot be read, 2 with --fail-on when a suspect is at or above the bar.`;

interface AnalyzeFlags {
  readonly json?: boolean;
  readonly html?: string;
  readonly top: string;
  readonly node?: string;
  readonly retainers?: string;
  readonly focus?: string;
  readonly showStrings?: boolean;
  readonly keepName?: readonly string[];
  readonly failOn?: string;
  readonly openWith?: string;
}

export const addAnalyzeCommand: AddCommand = (program, io, done) => {
  program
    .command('analyze')
    .description('say what holds the memory in a heap snapshot, with the path that keeps it alive')
    .argument('<file>', 'a .heapsnapshot, also .gz or .zst; - reads standard input')
    .option('--json', 'print the analysis as JSON')
    .option('--html <file>', 'write a report with a treemap to one HTML file')
    .option('--top <n>', 'rows of the constructor table', '20')
    .option('--node <id>', 'say what keeps the object with this id alive')
    .option('--retainers <name>', 'say how the instances of a class are held; "name()" for functions')
    .option('--focus <scope>', 'say what one scope holds, e.g. session:42')
    .option('--show-strings', 'show string values and keys as they are; they may be secrets')
    .option('--keep-name <name...>', 'property names to show although no code mentions them')
    .option(
      '--fail-on <severity>',
      'exit with 2 when a suspect is at or above: info, low, medium, high, critical',
    )
    .option('--open-with <tool>', 'say how to open the file with another tool: devtools')
    .addHelpText('after', help)
    .action(async (file: string, flags: AnalyzeFlags) => {
      done(await analyze(file, flags, io));
    });
};

async function analyze(file: string, flags: AnalyzeFlags, io: Io): Promise<number> {
  const bar = flags.failOn === undefined ? undefined : await severityOption(flags.failOn);
  const top = await countOption('--top', flags.top);
  if (flags.openWith !== undefined) return hint(flags.openWith, file, io);
  // Loading modules takes as long as reading a small snapshot, so only the needed ones are loaded.
  const [{ open }, { analyzeOpened, isAtLeast }] = await Promise.all([
    import('@plimsoll/heap/internal/opened-snapshot'),
    import('@plimsoll/heap/internal/analysis'),
  ]);
  const progress = new ProgressLine(io);
  const started = performance.now();
  const onProgress = ({ phase, ratio }: { phase: string; ratio: number }): void =>
    progress.show(ratio > 0 ? `${phase} ${Math.round(ratio * 100)} %` : phase);
  const snapshot = await open(file === '-' ? io.stdin : resolve(io.cwd, file), {
    onProgress,
    showStrings: flags.showStrings ?? false,
    keepNames: flags.keepName ?? [],
  });
  try {
    const readMs = performance.now() - started;
    if (flags.showStrings === true) warnOfStrings(io);
    if (isQuestion(flags)) {
      const answer = await question(snapshot, flags, await paintFor(io));
      progress.clear();
      io.stdout.write(flags.json === true ? `${JSON.stringify(answer.data, null, 2)}\n` : answer.text);
      return exitCode.fine;
    }
    const analysis = analyzeOpened(snapshot, readMs, { top, onProgress });
    if (flags.html !== undefined) {
      progress.show('treemap');
      const target = resolve(io.cwd, flags.html);
      const [{ renderHtml }, { writeReport }] = await Promise.all([
        import('@plimsoll/heap/report'),
        import('./asked-output.ts'),
      ]);
      await writeReport(target, renderHtml(snapshot, analysis));
      io.stderr.write(`plimsoll: report written to ${flags.html}\n`);
    }
    progress.clear();
    const named = { ...analysis, file };
    if (flags.json === true) io.stdout.write(`${JSON.stringify(named, null, 2)}\n`);
    else if (flags.html === undefined) {
      const { analysisText } = await import('@plimsoll/heap/report');
      io.stdout.write(analysisText(named, { paint: await paintFor(io) }));
    }
    return bar !== undefined && isAtLeast(analysis.severity, bar) ? exitCode.finding : exitCode.fine;
  } finally {
    progress.clear();
    snapshot.close();
  }
}

const isQuestion = (flags: AnalyzeFlags): boolean =>
  flags.node !== undefined || flags.retainers !== undefined || flags.focus !== undefined;

async function question(
  snapshot: Snapshot,
  flags: AnalyzeFlags,
  paint: Paint,
): Promise<{ data: unknown; text: string }> {
  const { classText, nodeText, scopeText } = await import('@plimsoll/heap/report');
  if (flags.node !== undefined) {
    const id = await countOption('--node', flags.node.replace(/^@/, ''));
    const object = snapshot.object(id);
    const paths = snapshot.pathsTo(id);
    return { data: { ...object, paths }, text: nodeText(object, paths, paint) };
  }
  if (flags.retainers !== undefined) {
    const found = snapshot.retainersOf(flags.retainers);
    return { data: { name: flags.retainers, ...found }, text: classText(flags.retainers, found, paint) };
  }
  const scopes = snapshot.scopesMatching(flags.focus as string);
  const holds = scopes
    .flatMap((row) => snapshot.rootsOf(row.path))
    .flatMap((id) => [
      { ...snapshot.object(id), children: 0 },
      ...snapshot.dominators({ under: id, limit: 10 }),
    ])
    .slice(0, 40);
  return { data: { scopes, holds }, text: scopeText(scopes, holds) };
}

function warnOfStrings(io: Io): void {
  io.stderr.write(
    'plimsoll: --show-strings shows string values and keys of the process; they may be secrets.\n',
  );
}

async function paintFor(io: Io): Promise<Paint> {
  const { colours, plain } = await import('@plimsoll/heap/report');
  return io.stdout.isTTY === true && io.env['NO_COLOR'] === undefined ? colours : plain;
}

async function hint(tool: string, file: string, io: Io): Promise<number> {
  if (tool !== 'devtools') {
    throw await badOption('--open-with', tool, 'devtools');
  }
  io.stdout.write(
    [
      `Open Chrome or Edge, DevTools, panel Memory, "Load profile", and choose ${file}.`,
      'Summary sorts by retained size; Containment starts at the roots; Ctrl+F finds @id from a trace.',
      'Files above 512 MB of strings do not open there; plimsoll redact makes a smaller one.',
      '',
    ].join('\n'),
  );
  return exitCode.fine;
}
