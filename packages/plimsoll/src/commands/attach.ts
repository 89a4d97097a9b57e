import { resolve } from 'node:path';
import { parseDuration } from '@plimsoll/core/units';
import { failure } from '@plimsoll/core/internal/errors';
import type { Attached } from '../attach/attached.ts';
import type { AttachedProcess } from '../attach/process-facts.ts';
import type { LookOptions } from '../attach/look.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';
import { version } from '@plimsoll/core/internal/version';
import { writeReportFile } from '../report/report-file.ts';
import { collect, makeAskedFolder } from './asked-output.ts';

interface AttachOptions {
  readonly for: string;
  readonly snapshot?: boolean;
  readonly pair?: boolean;
  readonly keep?: string;
  readonly maxPause: string;
  readonly force?: boolean;
  readonly otherUser?: boolean;
  readonly remote?: boolean;
  readonly report: readonly string[];
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll attach 4711
  plimsoll attach 4711 --for 60s --pair --report out.json
  plimsoll attach 127.0.0.1:9229 --snapshot --keep ./snapshots

The program needs no change. What attaching costs it is said first; afterwards it is as it was.`;

export const addAttachCommand: AddCommand = (program, io, done) => {
  program
    .command('attach')
    .description('look into a running Node.js process that never heard of us')
    .argument('<pid>', 'its process id, or host:port of an inspector that is open already')
    .option('--for <duration>', 'how long to look', '10s')
    .option('--snapshot', 'take one heap snapshot at the end and name what accumulates')
    .option('--pair', 'take a snapshot at both ends, force GCs between, and judge: leak or clean')
    .option('--keep <folder>', 'keep the snapshots there; they may hold secrets')
    .option('--max-pause <duration>', 'longest stop that a snapshot may cause', '10s')
    .option('--force', 'take snapshots although they stop it longer or need more memory than is free')
    .option('--other-user', 'attach to a process of another user')
    .option('--remote', 'attach to an inspector on another machine')
    .option(
      '--report <file>',
      'write the report; .html, .md, .xml (JUnit) or JSON by the name; may be repeated',
      collect,
      [],
    )
    .option('--json', 'print the report as JSON instead of the text')
    .addHelpText('after', help)
    .action(async (target: string, options: AttachOptions) => {
      done(await attach(target, options, io));
    });
};

async function attach(text: string, options: AttachOptions, io: Io): Promise<number> {
  const forMs = durationOf('--for', options.for);
  const maxStopMs = durationOf('--max-pause', options.maxPause);
  const snapshots = options.pair === true ? 'pair' : options.snapshot === true ? 'one' : 'none';
  const keepIn = options.keep === undefined ? undefined : resolve(io.cwd, options.keep);
  if (keepIn !== undefined) makeAskedFolder(keepIn);
  const { attachReport } = await import('../attach/attach-report.ts');
  const { look } = await import('../attach/look.ts');
  const { lookText, vitalsLine } = await import('../attach/attach-text.ts');
  const { traceDrawer } = await import('../screen/finding-text.ts');
  const isQuiet = options.json === true;
  const { target, pid } = await open(text, { ...options, forMs, snapshots, isQuiet, maxStopMs }, io);
  let seen;
  try {
    const settings: LookOptions = {
      forMs,
      snapshots,
      force: options.force === true,
      maxStopMs,
      keepIn,
      onVitals: (vitals) => {
        if (!isQuiet) io.stderr.write(vitalsLine(vitals));
      },
    };
    seen = await look(target, pid, settings);
  } finally {
    await target.close();
  }
  const report = attachReport(seen, `pid ${pid}`, version, keepIn !== undefined);
  if (isQuiet) io.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  else {
    const traced = [...seen.findings, ...(seen.evidence?.suspects ?? [])] as typeof seen.findings;
    io.stdout.write(lookText(seen, await traceDrawer(traced)));
  }
  for (const file of options.report) await writeReportFile(resolve(io.cwd, file), report);
  return 0;
}

interface OpenOptions extends AttachOptions {
  readonly forMs: number;
  readonly snapshots: LookOptions['snapshots'];
  readonly isQuiet: boolean;
  readonly maxStopMs: number;
}

/** Prints the cost and then opens the target. */
async function open(text: string, options: OpenOptions, io: Io): Promise<{ target: Attached; pid: number }> {
  const { Attached } = await import('../attach/attached.ts');
  const { attachable, findInspector, socketUrl } = await import('../attach/find-inspector.ts');
  const { priceText, snapshotPriceText } = await import('../attach/attach-text.ts');
  const { snapshotCost } = await import('../attach/look.ts');
  const { targetAddress } = await import('../attach/target-address.ts');
  const address = targetAddress(text, options.remote === true);
  const say = (line: string): void => {
    if (!options.isQuiet) io.stderr.write(line);
  };
  let target: Attached;
  let pid: number;
  if ('pid' in address) {
    const facts: AttachedProcess = attachable(address.pid, { otherUser: options.otherUser === true });
    say(priceText(facts, options.forMs, options.snapshots));
    pid = address.pid;
    target = await Attached.open(await findInspector(facts), pid);
  } else {
    const { host, port } = address;
    const url = await socketUrl(host, port);
    if (url === undefined) throw failure('PLM_ATTACH_LOST', { address: text });
    target = await Attached.open({ url, port, isOurs: false });
    pid = await target.pid();
  }
  if (options.snapshots !== 'none') {
    const cost = snapshotCost(await target.vitals(), options.maxStopMs);
    say(snapshotPriceText(cost, options.snapshots === 'pair' ? 2 : 1));
  }
  return { target, pid };
}

function durationOf(option: string, value: string): number {
  const ms = parseDuration(value);
  if (ms !== undefined && ms > 0) return ms;
  throw failure('PLM_CLI_BAD_OPTION', { option, value, accepted: 'a duration such as 10s or 2m' });
}
