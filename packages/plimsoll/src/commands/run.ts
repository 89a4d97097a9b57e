import { relative, resolve } from 'node:path';
import { formatDuration, parseDuration } from '@plimsoll/core/units';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { RollbackAnswer } from '@plimsoll/host/protocol/answers';
import { liveDescriptors } from '@plimsoll/host/protocol';
import { failure } from '@plimsoll/core/internal/errors';
import { severities, type Severity } from '@plimsoll/leak/internal/findings/finding';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';
import { traceDrawer } from '../screen/finding-text.ts';
import { claimEvidence } from '../run/evidence.ts';
import { checkNode, launchOf } from '../run/launch.ts';
import { nextLifeText } from '../run/next-life.ts';
import { logFormats, OperatorLog } from '../run/operator-log.ts';
import type { LogFormat } from '../run/operator-log.ts';
import type { Report } from '../run/report.ts';
import { reportOn } from '../run/report-on.ts';
import { endFacts, endText, summaryText } from '../run/summary.ts';
import { supervise } from '../run/supervise.ts';
import { exitCodeOf } from '../run/target.ts';
import { liveLine } from '../screen/frame-text.ts';
import { StatusLine } from '../screen/status-line.ts';
import { SeriesRecorder } from '../run/series.ts';
import { writeReportFile } from '../report/report-file.ts';
import { checkOpenFiles, collect, makeRunFolder } from './asked-output.ts';
import { severityOption } from './heap-options.ts';

interface RunOptions {
  readonly policy?: string;
  readonly report: readonly string[];
  readonly dir: string;
  readonly failOn?: string;
  readonly live: boolean;
  readonly status?: string;
  readonly json?: boolean;
  readonly maxPause: string;
  readonly proof?: boolean;
  readonly keepSnapshots?: boolean;
  readonly audit?: boolean;
  readonly onDeath?: string;
  readonly restart: boolean;
  readonly restarts: string;
  readonly log: string;
}

const help = `
Example:
  plimsoll run --policy plimsoll.yaml -- node server.js
  plimsoll run --report out.json --report out.html -- npm start

Signals and the exit code of the program pass through. A program that ends by a signal gives 128 + its number.
A program that was drained because memory stayed short ends with 75 and is started again; the report covers all its lives.`;

export const addRunCommand: AddCommand = (program, io, done) => {
  program
    .command('run')
    .description('start a Node.js program governed, without changing its code')
    .usage('[options] -- command [arguments]')
    .argument('<command...>', 'the command of the program, after two dashes')
    .passThroughOptions()
    .option('--policy <file>', 'the policy (YAML); without one the process is only observed')
    .option(
      '--report <file>',
      'write the report when the program ends; .html, .md, .xml (JUnit) or JSON by the name; may be repeated',
      collect,
      [],
    )
    .option('--dir <folder>', 'where the ledger and the descriptor go', '.plimsoll')
    .option(
      '--fail-on <severity>',
      'exit with 2 when the program ends well but a finding is this grave or graver',
    )
    .option('--status <port>', 'serve the dashboard on this loopback port; 0 takes a free one')
    .option(
      '--max-pause <duration>',
      'longest stop for the snapshot that proves a suspected leak while the program serves; 0s waits for its end',
      '2s',
    )
    .option('--proof', 'prove a suspected leak by snapshots; implied by --report, --json and --fail-on')
    .option('--no-proof', 'take no snapshot and force no GC: a suspected leak stays a suspicion')
    .option('--on-death <what>', 'snapshot: V8 writes one at its heap limit, if the memory for it is there')
    .option('--audit', 'find the code behind listeners, timers and handles that are left; costs some CPU')
    .option(
      '--keep-snapshots',
      'leave the snapshots of a suspected leak in the folder instead of deleting them',
    )
    .option('--no-restart', 'do not restart the program after exit code 75')
    .option(
      '--restarts <number>',
      'most restarts per hour in which no other process serves meanwhile; after that the program is not started again',
      '6',
    )
    .option(
      '--log <format>',
      'one line on stderr per level, finding, refusal, rollback or fault: text, json or off',
      'text',
    )
    .option('--no-live', 'no live line at the bottom of the terminal')
    .option('--json', 'print the report as JSON at the end instead of the summary')
    .addHelpText('after', help)
    .action(async (command: string[], options: RunOptions) => {
      done(await run(command, options, io));
    });
};

async function run(command: readonly string[], options: RunOptions, io: Io): Promise<number> {
  const [program, ...args] = command;
  if (program === undefined) throw failure('PLM_CLI_NO_COMMAND', { verb: 'run' });
  const failOn = options.failOn === undefined ? undefined : await severityOption(options.failOn);
  // A server that only runs governed is never stopped for a snapshot. Options that ask for a verdict allow it.
  const wantsVerdict = options.report.length > 0 || options.json === true || failOn !== undefined;
  const maxPauseMs = (options.proof ?? wantsVerdict) ? parsePause(options.maxPause) : 'off';
  const policyFile = options.policy === undefined ? undefined : resolve(io.cwd, options.policy);
  const format = parseLog(options.log);
  // A broken policy is reported before the program starts.
  const policy = policyFile === undefined ? undefined : await readPolicy(policyFile);
  await checkNode(program, io.cwd, io.env);
  checkOpenFiles((text) => io.stderr.write(text));
  const dir = resolve(io.cwd, options.dir);
  const hasFolder = makeRunFolder(dir, (text) => io.stderr.write(text));
  using _claim = hasFolder ? claimEvidence(dir) : undefined;
  const mostPerHour = options.restart ? parseRestarts(options.restarts) : 0;

  const log = new OperatorLog({
    write: (text) => io.stderr.write(text),
    format,
    writtenMode: policy?.mode,
    whyMode: (frame) => lastChange(dir, frame.pid),
  });
  const status =
    options.status === undefined || !hasFolder
      ? undefined
      : await serveDashboard(options.status, dir, io, log);
  const line = options.live && io.stderr.isTTY === true ? new StatusLine(io.stderr) : undefined;
  const recorder = new SeriesRecorder();
  const lives = await supervise({
    launch: launchOf([program, ...args], io.env, {
      dir,
      policyFile,
      maxPauseMs,
      isAudited: options.audit,
      isSnapshotWanted: wantsSnapshot(options.onDeath),
    }),
    cwd: io.cwd,
    dir,
    mostPerHour,
    keepSnapshots: options.keepSnapshots === true,
    isJudged: maxPauseMs !== 'off',
    maxPauseMs: maxPauseMs === 'off' ? 0 : maxPauseMs,
    onStuck: (pid, afterMs) =>
      log.say(
        'run',
        `pid ${pid} did not end within ${formatDuration(afterMs)} of the signal and is killed: its event loop is blocked`,
        { pid },
      ),
    onFrame: (frame) => {
      log.take(frame);
      recorder.take(frame);
      line?.show(liveLine(frame, true));
    },
    onNext: (next, count) => log.say('restart', nextLifeText(next, command.join(' '), mostPerHour, count)),
    onWait: (pids) =>
      log.say(
        'run',
        `waiting for ${pids.length === 1 ? 'a process' : `${pids.length} processes`} to end (pid ${pids.join(', ')})`,
      ),
    onAnalysis: (files) =>
      log.say('run', `memory grew; reading ${files} heap snapshot${files === 1 ? '' : 's'}`),
  });
  await status?.[Symbol.asyncDispose]();
  line?.clear();
  const report = await reportOn(lives, command.join(' '), dir, recorder.series);
  const ledger = lives.at(-1)?.frame?.ledger.dir ?? null;
  const ledgerDir = ledger === null ? null : nearPath(io.cwd, ledger);
  const isVerdictAsked = maxPauseMs !== 'off';
  if (format === 'json') log.say('run', endText(report, isVerdictAsked), endFacts(report));
  else if (options.json !== true)
    io.stderr.write(summaryText(report, ledgerDir, await traceDrawer(report.findings), isVerdictAsked));
  if (options.json === true) io.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  for (const file of options.report) await writeReportFile(resolve(io.cwd, file), report);
  return codeOf(report, exitCodeOf(report.exit), failOn);
}

async function readPolicy(file: string): Promise<Policy> {
  const { readPolicyFile } = await import('@plimsoll/govern/internal/policy/policy-file');
  return readPolicyFile(file);
}

/** The sentence of the process about the last change of its policy; undefined when the process does not answer. */
async function lastChange(dir: string, pid: number): Promise<string | undefined> {
  const found = liveDescriptors(dir).find((each) => each.pid === pid);
  if (found === undefined) return undefined;
  const { ask } = await import('@plimsoll/host/protocol');
  const answer = await ask<RollbackAnswer>(found.socket, 'policy.state', {});
  return answer.state.last?.text;
}

function parseLog(value: string): LogFormat {
  const found = logFormats.find((each) => each === value);
  if (found !== undefined) return found;
  throw failure('PLM_CLI_BAD_OPTION', { option: '--log', value, accepted: logFormats.join(', ') });
}

function parsePause(value: string): number {
  const ms = /^\d+$/.test(value) ? undefined : parseDuration(value);
  if (ms !== undefined && ms >= 0) return ms;
  throw failure('PLM_CLI_BAD_OPTION', {
    option: '--max-pause',
    value,
    accepted: 'a duration such as 500ms or 2s',
  });
}

function parseRestarts(value: string): number {
  const count = Number(value);
  if (/^\d+$/.test(value) && count >= 1 && count <= 1000) return count;
  throw failure('PLM_CLI_BAD_OPTION', {
    option: '--restarts',
    value,
    accepted: 'a number of restarts per hour from 1 to 1000',
  });
}

function codeOf(report: Report, code: number, failOn: Severity | undefined): number {
  if (code !== 0 || failOn === undefined) return code;
  const bar = severities.indexOf(failOn);
  return report.findings.some((each) => severities.indexOf(each.severity) >= bar) ? exitCode.finding : code;
}

/** The server is loaded only on demand. */
async function serveDashboard(port: string, dir: string, io: Io, log: OperatorLog): Promise<AsyncDisposable> {
  const { startDashboard } = await import('../run/dashboard.ts');
  return startDashboard(port, dir, io, log);
}

/** A path relative to the current folder, if it is below it. */
function nearPath(cwd: string, path: string): string {
  const near = relative(cwd, path);
  return near.startsWith('..') ? path : near;
}

function wantsSnapshot(onDeath: string | undefined): boolean {
  if (onDeath === undefined || onDeath === 'snapshot') return onDeath !== undefined;
  throw failure('PLM_CLI_BAD_OPTION', { option: '--on-death', value: onDeath, accepted: 'snapshot' });
}
