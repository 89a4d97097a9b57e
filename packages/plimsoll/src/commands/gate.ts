import { existsSync, appendFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { parseByteSize } from '@plimsoll/core/units';
import { failure } from '@plimsoll/core/internal/errors';
import type { Command } from 'commander';
import type { Bounds, RunFigures } from '../gate/compare.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';
import { Interruption } from './interruption.ts';
import { collect, makeRunFolder } from './asked-output.ts';

/** Options of a single run. */
export interface MeasureFlags {
  readonly calls: string;
  readonly recipe?: string;
  readonly serve?: boolean;
  readonly url?: string;
  readonly limit?: string;
  readonly seed: string;
  readonly dir: string;
}

/** Options for the bounds. */
export interface BoundFlags {
  readonly maxGrowth: string;
  readonly maxPerCall: string;
  readonly maxPeak?: string;
}

interface GateFlags extends MeasureFlags, BoundFlags {
  readonly baseline?: string;
  readonly update?: boolean;
  readonly runs: string;
  readonly report: readonly string[];
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll gate --baseline main.json --update -- npm run load      on the main branch
  plimsoll gate --baseline main.json --max-growth 5% --max-peak 300MiB -- npm run load
  plimsoll gate --baseline main.json --recipe stress.yaml -- node server.js
  plimsoll gate --baseline main.json ./iterate.ts

Exit code 0 when memory is within its bounds, 2 when it is worse, 3 when the runs do not decide.`;

/** Exit codes of a gate. */
const codes = { fine: 0, worse: 2, undecided: 3 } as const;

/** The options that `gate` and `bisect` share: those of a run, and the bounds. */
export function addMeasureOptions(command: Command, runs: string): Command {
  return command
    .option('--max-growth <percent>', 'share by which live memory at the end may grow', '5%')
    .option('--max-per-call <size>', 'bytes per call that may be added', '512B')
    .option('--max-peak <size>', 'highest resident memory allowed')
    .option('--runs <number>', runs, '10')
    .option('--calls <number>', 'calls or sessions per run, with a recipe or a module', '2000')
    .option('--recipe <file>', 'the command is a server: call it as the recipe, OpenAPI file or HAR says')
    .option('--serve', 'the command is a server: call the routes that answer')
    .option('--url <url>', 'where the server answers, when it does not say so itself')
    .option('--limit <size>', 'heap limit of the process, such as 128MiB')
    .option('--seed <number>', 'the same seed gives the same load', '1');
}

export const addGateCommand: AddCommand = (program, io, done) => {
  const command = program
    .command('gate')
    .description('compare the memory of a program with a baseline, run by run until it is decided; for CI')
    .usage('[options] -- command [arguments] | module')
    .argument(
      '<command...>',
      'a command that ends by itself; a server with --recipe or --serve; or a module that exports iterate()',
    )
    .passThroughOptions()
    .option('--baseline <file>', 'figures to compare with; made by --update')
    .option('--update', 'write the figures of these runs into the baseline');
  addMeasureOptions(command, 'most runs; it stops as soon as it is decided')
    .option(
      '--report <file>',
      'write the result; .md for a pull request, else JSON; may be repeated',
      collect,
      [],
    )
    .option('--dir <folder>', 'where the evidence goes', '.plimsoll/gate')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', help)
    .action(async (command: string[], flags: GateFlags) => {
      done(await runGate(command, flags, io));
    });
};

async function runGate(command: readonly string[], flags: GateFlags, io: Io): Promise<number> {
  const { gate } = await import('../gate/gate.ts');
  const { readBaseline, writeBaseline } = await import('../gate/baseline.ts');
  const { gateMarkdown, gateText } = await import('../gate/gate-text.ts');
  const file = flags.baseline === undefined ? undefined : resolve(io.cwd, flags.baseline);
  const baseline = file === undefined ? undefined : readBaseline(file);
  if (flags.update === true && file === undefined)
    throw failure('PLM_CLI_BAD_OPTION', {
      option: '--update',
      value: '',
      accepted: 'given together with --baseline FILE',
    });
  if (file !== undefined && baseline === undefined && flags.update !== true)
    throw failure('PLM_GATE_BAD_BASELINE', { file, reason: 'there is no such file' });
  using stop = new Interruption();
  const found = await gate({
    bounds: boundsOf(flags),
    // With --update the figures are wanted and not a verdict.
    baseline: flags.update === true ? [] : (baseline?.runs ?? []),
    measure: await measurer(command, flags, io, stop.signal),
    leastRuns: flags.update === true ? 5 : 3,
    mostRuns: flags.update === true ? 5 : countOption('--runs', flags.runs, 100),
    signal: stop.signal,
    onRun: (run, count) => {
      if (flags.json !== true) io.stderr.write(`run ${count}: ${runText(run)}\n`);
    },
  });
  if (flags.update === true && file !== undefined && !stop.signal.aborted) {
    writeBaseline(file, command.join(' '), found.runs);
    io.stderr.write(`${flags.baseline} written\n`);
    return codes.fine;
  }
  io.stdout.write(flags.json === true ? `${JSON.stringify(found, null, 2)}\n` : gateText(found));
  const { writeReport } = await import('./asked-output.ts');
  for (const target of flags.report)
    await writeReport(
      resolve(io.cwd, target),
      target.endsWith('.md') ? gateMarkdown(found) : `${JSON.stringify(found, null, 2)}\n`,
    );
  const summary = io.env['GITHUB_STEP_SUMMARY'];
  if (summary !== undefined && summary !== '') appendFileSync(summary, gateMarkdown(found));
  return codes[found.outcome];
}

/** Makes the function for one run. A module or a server gets its calls from us; any other command runs to its own end. */
export async function measurer(
  command: readonly string[],
  flags: MeasureFlags,
  io: Io,
  signal: AbortSignal,
): Promise<() => Promise<RunFigures>> {
  const { measureCommand, measureSubject } = await import('../gate/measure-run.ts');
  const { readRecipe } = await import('../stress/recipe.ts');
  const [first, ...rest] = command;
  if (first === undefined) throw failure('PLM_CLI_NO_COMMAND', { verb: 'gate' });
  const dir = resolve(io.cwd, flags.dir);
  makeRunFolder(dir, (text) => io.stderr.write(text));
  const options = {
    cwd: io.cwd,
    dir,
    env: io.env,
    limitBytes: flags.limit === undefined ? null : sizeOption('--limit', flags.limit),
    calls: countOption('--calls', flags.calls, 10_000_000),
    seed: countOption('--seed', flags.seed, 2 ** 31),
    signal,
  };
  const file = resolve(io.cwd, first);
  if (rest.length === 0 && /^\.[mc]?[jt]s$/.test(extname(first)) && existsSync(file))
    return () => measureSubject({ kind: 'module', file }, undefined, options);
  const recipe = flags.recipe === undefined ? undefined : await readRecipe(resolve(io.cwd, flags.recipe));
  if (recipe !== undefined || flags.serve === true) {
    const subject = {
      kind: 'server' as const,
      command: [first, ...rest] as [string, ...string[]],
      url: flags.url ?? recipe?.url ?? null,
    };
    return () => measureSubject(subject, recipe, options);
  }
  return () => measureCommand([first, ...rest], options);
}

export function boundsOf(flags: BoundFlags): Bounds {
  return {
    maxGrowth: percentOption('--max-growth', flags.maxGrowth),
    maxPerCall: sizeOption('--max-per-call', flags.maxPerCall),
    maxPeak: flags.maxPeak === undefined ? null : sizeOption('--max-peak', flags.maxPeak),
  };
}

function runText({ calls, bytesPerCall, liveBytes, peakBytes }: RunFigures): string {
  const size = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  const perCall =
    bytesPerCall === null ? '' : `, ${Math.round(bytesPerCall).toLocaleString('en-US')} B per call`;
  return `${calls.toLocaleString('en-US')} calls${perCall}, live ${size(liveBytes)}, peak ${size(peakBytes)}`;
}

function percentOption(option: string, value: string): number {
  const found = /^(\d+(?:\.\d+)?)\s*%$/.exec(value.trim())?.[1];
  if (found !== undefined) return Number(found) / 100;
  throw failure('PLM_CLI_BAD_OPTION', { option, value, accepted: 'a share such as 5%' });
}

function sizeOption(option: string, value: string): number {
  const bytes = parseByteSize(value);
  if (bytes !== undefined && bytes >= 0) return bytes;
  throw failure('PLM_CLI_BAD_OPTION', { option, value, accepted: 'a size such as 512B or 300MiB' });
}

export function countOption(option: string, value: string, most: number): number {
  const found = Number(value);
  if (/^\d+$/.test(value) && found >= 1 && found <= most) return found;
  throw failure('PLM_CLI_BAD_OPTION', {
    option,
    value,
    accepted: `a whole number from 1 to ${most.toLocaleString('en-US')}`,
  });
}
