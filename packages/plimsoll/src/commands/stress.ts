import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { formatDuration, parseByteSize, parseDuration } from '@plimsoll/core/units';
import { failure } from '@plimsoll/core/internal/errors';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';
import type { StressSection } from '../report/stress-section.ts';
import type { StressSubject } from '../stress/child.ts';
import type { PlanName } from '../stress/plans.ts';
import { Interruption } from './interruption.ts';
import { checkOpenFiles, collect, makeRunFolder } from './asked-output.ts';
import { ProgressLine } from './progress-line.ts';

interface StressFlags {
  readonly plan: string;
  readonly recipe?: string;
  readonly url?: string;
  readonly for?: string;
  readonly limit?: string;
  readonly seed: string;
  readonly report: readonly string[];
  readonly findings?: string;
  readonly proof: boolean;
  readonly dir: string;
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll stress -- node server.js                      finds the routes that answer and puts load on them
  plimsoll stress --plan all --recipe stress.yaml --limit 128MiB -- node server.js
  plimsoll stress --recipe openapi.json --report out.html -- npm start
  plimsoll stress ./iterate.ts                           a module that exports iterate()

Each plan runs in a process of its own. Ctrl-C ends it and still reports.
Exit code 0 for PASS and PASS WITH CONCERNS, 2 for FAIL.`;

export const addStressCommand: AddCommand = (program, io, done) => {
  program
    .command('stress')
    .description(
      'put a server or a module under load, long conversations and faults; prints PASS or FAIL and the holder of the memory',
    )
    .usage('[options] -- command [arguments] | module')
    .argument('<command...>', 'the command of a server after two dashes, or a module that exports iterate()')
    .passThroughOptions()
    .option('--plan <plan>', 'baseline, stress, chaos or all; several with commas', 'baseline')
    .option('--recipe <file>', 'what to call: a recipe (YAML), an OpenAPI file or a HAR')
    .option('--url <url>', 'where the server answers, when it does not say so itself')
    .option('--for <duration>', 'time for each plan', '40s')
    .option('--limit <size>', 'heap limit of the process, such as 128MiB')
    .option('--seed <number>', 'the same seed gives the same load', '1')
    .option(
      '--report <file>',
      'write the report; .html, .md, .xml (JUnit) or JSON by the name; may be repeated',
      collect,
      [],
    )
    .option('--findings <folder>', 'write strengths, bugs, dx, improvements and results as JSON files')
    .option('--no-proof', 'take no snapshot: quicker, and a leak is not named')
    .option('--dir <folder>', 'where the ledger and the evidence go', '.plimsoll/stress')
    .option('--json', 'print the report as JSON instead of the summary')
    .addHelpText('after', help)
    .action(async (command: string[], flags: StressFlags) => {
      done(await runStress(command, flags, io));
    });
};

async function runStress(command: readonly string[], flags: StressFlags, io: Io): Promise<number> {
  const { readRecipe } = await import('../stress/recipe.ts');
  const { stress } = await import('../stress/stress.ts');
  const { writeFindingsFiles, writeReportFile } = await import('../report/report-file.ts');
  const recipe = flags.recipe === undefined ? undefined : await readRecipe(resolve(io.cwd, flags.recipe));
  const plans = await planOption(flags.plan);
  const forMs =
    flags.for === '40s' && recipe?.forMs != null ? recipe.forMs : durationOption('--for', flags.for ?? '40s');
  const limitBytes =
    flags.limit === undefined ? (recipe?.limitBytes ?? null) : sizeOption('--limit', flags.limit);
  const dir = resolve(io.cwd, flags.dir);
  checkOpenFiles((text) => io.stderr.write(text));
  makeRunFolder(dir, (text) => io.stderr.write(text));
  using stop = new Interruption();
  const line = new ProgressLine(io);
  const started = Date.now();
  let said = '';
  try {
    const report = await stress({
      subject: subjectOf(command, flags, recipe?.url ?? null, io.cwd),
      plans,
      recipe,
      seed: seedOption(flags.seed),
      forMs,
      limitBytes,
      isProved: flags.proof,
      cwd: io.cwd,
      dir,
      env: io.env,
      signal: stop.signal,
      onProgress: (plan, what, share) => {
        const behind = (plans.indexOf(plan) + share) / plans.length;
        const leftMs = Math.max(0, forMs * plans.length - (Date.now() - started));
        line.show(`${bar(behind)} ${plan}: ${what}, about ${formatDuration(leftMs)} left`);
        if (io.stderr.isTTY !== true && said !== plan)
          io.stderr.write(`plimsoll: plan ${plan}, ${formatDuration(forMs)}\n`);
        said = plan;
      },
    });
    line.clear();
    if (flags.json === true) io.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    else {
      const { reportText } = await import('../report/text.ts');
      const { stressText } = await import('../stress/stress-text.ts');
      io.stdout.write(`${await reportText(report)}${stressText(report.stress as StressSection)}`);
    }
    for (const file of flags.report) await writeReportFile(resolve(io.cwd, file), report);
    if (flags.findings !== undefined) await writeFindingsFiles(resolve(io.cwd, flags.findings), report);
    return report.stress?.verdict === 'FAIL' ? exitCode.finding : exitCode.fine;
  } finally {
    line.clear();
  }
}

function subjectOf(
  command: readonly string[],
  flags: StressFlags,
  url: string | null,
  cwd: string,
): StressSubject {
  const [first, ...rest] = command;
  if (first === undefined) throw failure('PLM_CLI_NO_COMMAND', { verb: 'stress' });
  const file = resolve(cwd, first);
  if (rest.length === 0 && /^\.[mc]?[jt]s$/.test(extname(first)) && existsSync(file))
    return { kind: 'module', file };
  return { kind: 'server', command: [first, ...rest], url: flags.url ?? url };
}

async function planOption(value: string): Promise<readonly PlanName[]> {
  const { planNames } = await import('../stress/plans.ts');
  if (value === 'all') return planNames;
  const wanted = value.split(',').map((each) => each.trim());
  const found = planNames.filter((each) => wanted.includes(each));
  if (found.length === wanted.length) return found;
  throw failure('PLM_CLI_BAD_OPTION', {
    option: '--plan',
    value,
    accepted: `all, or some of ${planNames.join(', ')} with commas`,
  });
}

function durationOption(option: string, value: string): number {
  const ms = parseDuration(value);
  if (ms !== undefined && ms >= 1000) return ms;
  throw failure('PLM_CLI_BAD_OPTION', {
    option,
    value,
    accepted: 'a duration of a second or more, such as 40s or 5m',
  });
}

function sizeOption(option: string, value: string): number {
  const bytes = parseByteSize(value);
  if (bytes !== undefined && bytes > 0) return bytes;
  throw failure('PLM_CLI_BAD_OPTION', { option, value, accepted: 'a size such as 128MiB' });
}

function seedOption(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw failure('PLM_CLI_BAD_OPTION', { option: '--seed', value, accepted: 'a whole number' });
}

const barWidth = 24;

function bar(share: number): string {
  const full = Math.round(Math.min(1, share) * barWidth);
  return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${Math.round(100 * Math.min(1, share))
    .toString()
    .padStart(3)} %`;
}
