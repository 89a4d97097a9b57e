import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { failure } from '@plimsoll/core/internal/errors';
import type { PgClient } from '@plimsoll/ledger/internal/postgres/client';
import { formatDuration } from '@plimsoll/core/units';
import type * as FleetApprovals from '../approvals/fleet-approvals.ts';
import { exitCode } from '../exit-code.ts';
import { liveDescriptors } from '@plimsoll/host/protocol';
import type { FoundApproval, SilentProcess } from '../approvals/find-approvals.ts';
import { printable } from '../screen/table.ts';
import type { DecidedRow } from '@plimsoll/host/protocol/answers';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';

interface Flags {
  readonly dir: string;
  readonly json?: boolean;
  readonly fleet?: string | true;
}

interface ListFlags extends Flags {
  readonly all?: boolean;
  readonly since?: string;
}

interface DecideFlags extends Flags {
  readonly comment?: string;
  readonly digest?: string;
  readonly key?: string;
  readonly tokenFile?: string;
}

interface TokenFlags extends Flags {
  readonly group?: readonly string[];
}

const help = `
Example:
  plimsoll approvals                                     what waits for an answer
  plimsoll approvals show 7f3a91c2                       one of them with its numbers
  plimsoll approvals approve 7f3a91c2 --comment "known"  let it happen
  plimsoll approvals deny 7f3a91c2                       say no
  plimsoll approvals list --all --since 24h              history, from the ledger
  plimsoll approvals token ada --group sre               a token for an approver, shown once`;

export const addApprovalsCommand: AddCommand = (program, io, done) => {
  const approvals = program
    .command('approvals')
    .description('list, approve and deny requests that wait for a person; make tokens for approvers')
    .addHelpText('after', help);
  common(
    approvals.command('list', { isDefault: true }).description('open approvals, and the newest decided ones'),
  )
    .option('--all', 'also everything in the ledger')
    .option('--since <time>', 'with --all: from this time on, "24h" ago or "2026-07-01T10:00:00Z"')
    .addHelpText('after', '\nExample:\n  plimsoll approvals list --all --since 7d')
    .action(async (flags: ListFlags) => done(await list(flags, io)));
  common(approvals.command('show').description('one approval with everything a decision needs'))
    .argument('<id>', 'its id, or the beginning of it')
    .addHelpText('after', '\nExample:\n  plimsoll approvals show 7f3a')
    .action(async (id: string, flags: Flags) => done(await show(id, flags, io)));
  for (const decision of ['approve', 'deny'] as const) addDecision(approvals, decision, io, done);
  common(approvals.command('token').description('make a token for an approver; it replaces the earlier one'))
    .argument('<name>', 'such as ada, or agent:captain for an agent')
    .option('--group <name...>', 'groups the approver is in')
    .addHelpText('after', '\nExample:\n  plimsoll approvals token ada --group sre')
    .action(async (name: string, flags: TokenFlags) => done(await token(name, flags, io)));
};

function addDecision(
  approvals: Command,
  decision: 'approve' | 'deny',
  io: Io,
  done: (code: number) => void,
): void {
  common(approvals.command(decision).description(decision === 'approve' ? 'let it happen' : 'say no'))
    .argument('<id>', 'its id, or the beginning of it')
    .option('--comment <text>', 'why; it goes into the ledger')
    .option('--digest <hex>', 'decide only if the approval still has this digest, or digest beginning')
    .option('--key <text>', 'repeating a decision with its key changes nothing; random by default')
    .option('--token-file <file>', 'decide as the approver of this token; PLIMSOLL_TOKEN does the same')
    .addHelpText('after', `\nExample:\n  plimsoll approvals ${decision} 7f3a91c2 --comment "looked at it"`)
    .action(async (id: string, flags: DecideFlags) => done(await decide(id, decision, flags, io)));
}

function common(command: Command): Command {
  return command
    .option('--dir <folder>', 'the folder of the run', '.plimsoll')
    .option('--fleet [url]', "of every process in the fleet's database; PLIMSOLL_LEDGER_URL without a value")
    .option('--json', 'print JSON');
}

async function list(flags: ListFlags, io: Io): Promise<number> {
  if (flags.fleet !== undefined) return listFleet(flags.fleet, flags, io);
  const { allApprovals, liveApprovals } = await import('../approvals/find-approvals.ts');
  const { listText } = await import('../approvals/approval-text.ts');
  const { timeOption } = await import('../ledger/time-option.ts');
  const dir = resolve(io.cwd, flags.dir);
  const now = Date.now();
  const since = timeOption('--since', flags.since, now);
  const silent: SilentProcess[] = [];
  const onSilent = (each: SilentProcess): void => void silent.push(each);
  const found =
    flags.all === true ? await allApprovals(dir, since, onSilent) : await liveApprovals(dir, onSilent);
  for (const each of silent) io.stderr.write(silentText(each, await lastHeardMs(dir, each.pid, now)));
  const rows = found.map(({ row }) => row);
  if (flags.json === true) io.stdout.write(json(found.map(jsonRow)));
  else if (rows.length === 0 && flags.all !== true && liveDescriptors(dir).length === 0)
    io.stdout.write('No governed process is running here; --all shows what the ledger has.\n');
  else if (rows.length > 0 || silent.length === 0)
    io.stdout.write(listText(rows, now, io.stdout.columns ?? 140));
  // A process that does not answer may hold approvals, so its list is unknown and not empty.
  return silent.length > 0 ? exitCode.usage : exitCode.fine;
}

function silentText({ pid, target, why }: SilentProcess, agoMs: number | undefined): string {
  const age = agoMs === undefined ? '' : `; its last reading is ${formatDuration(agoMs)} old`;
  return `plimsoll: stale: ${printable(target)} (pid ${pid}) runs and does not answer (${why})${age}. Its approvals are not known; --all shows what its ledger has.\n`;
}

/** Time since the newest sample of the process; undefined when its ledger has none. */
async function lastHeardMs(dir: string, pid: number, now: number): Promise<number | undefined> {
  const { LedgerReader } = await import('@plimsoll/ledger');
  for (const name of [`ledger-${pid}`, 'ledger']) {
    try {
      using reader = new LedgerReader(join(dir, name));
      const at = reader.story()?.last?.at;
      if (at !== undefined) return Math.max(0, now - at);
    } catch {
      // No ledger of this name.
    }
  }
  return undefined;
}

async function show(id: string, flags: Flags, io: Io): Promise<number> {
  const { allApprovals } = await import('../approvals/find-approvals.ts');
  const { showText } = await import('../approvals/approval-text.ts');
  if (flags.fleet !== undefined) {
    const rows = await inFleet(flags.fleet, io, (fleet, client) => fleet.fleetApprovals(client, true));
    const { row } = pick(
      id,
      rows.map((each) => ({ row: each, process: undefined })),
    );
    io.stdout.write(flags.json === true ? json(row) : showText(row, Date.now()));
    return exitCode.fine;
  }
  const found = pick(id, await allApprovals(resolve(io.cwd, flags.dir), undefined));
  io.stdout.write(flags.json === true ? json(jsonRow(found)) : showText(found.row, Date.now()));
  return exitCode.fine;
}

async function inFleet<T>(
  flag: string | true,
  io: Io,
  work: (fleet: typeof FleetApprovals, client: PgClient) => Promise<T>,
): Promise<T> {
  const fleet = await import('../approvals/fleet-approvals.ts');
  const { fleetUrl, withFleet } = await import('../ledger/fleet-database.ts');
  return withFleet(fleetUrl(flag, io.env), (client) => work(fleet, client));
}

async function listFleet(flag: string | true, flags: ListFlags, io: Io): Promise<number> {
  const { listText } = await import('../approvals/approval-text.ts');
  const rows = await inFleet(flag, io, (fleet, client) => fleet.fleetApprovals(client, flags.all === true));
  io.stdout.write(flags.json === true ? json(rows) : listText(rows, Date.now(), io.stdout.columns ?? 140));
  return exitCode.fine;
}

/** The row lock of the database decides between operators. The process takes the answer and applies its own rules again. */
async function decideInFleet(
  flag: string | true,
  id: string,
  decision: 'approve' | 'deny',
  flags: DecideFlags,
  io: Io,
): Promise<number> {
  const { comment, digest } = flags;
  const key = flags.key ?? randomUUID();
  const decided = await inFleet(flag, io, (fleet, client) =>
    fleet.decideForFleet(client, { id, decision, comment, digest: digest?.toLowerCase(), key }),
  );
  const { state, votes, quorum, replayed } = decided;
  if (flags.json === true) io.stdout.write(json(decided));
  else
    io.stdout.write(
      `${replayed ? 'Decided before; nothing changed. ' : ''}${decided.id} is ${state}${state === 'open' ? `, ${votes} of ${quorum} agree` : ''}.\n`,
    );
  return exitCode.fine;
}

async function decide(id: string, decision: 'approve' | 'deny', flags: DecideFlags, io: Io): Promise<number> {
  if (flags.fleet !== undefined) return decideInFleet(flags.fleet, id, decision, flags, io);
  const { liveApprovals } = await import('../approvals/find-approvals.ts');
  const { showText } = await import('../approvals/approval-text.ts');
  const { ask } = await import('@plimsoll/host/protocol');
  const { row, process } = pick(id, await liveApprovals(resolve(io.cwd, flags.dir)));
  if (
    flags.digest !== undefined &&
    (flags.digest.length < 8 || !row.digest.startsWith(flags.digest.toLowerCase()))
  )
    throw failure('PLM_APPROVAL_DIGEST', { id: row.id });
  const decided = await ask<DecidedRow>((process as { socket: string }).socket, 'approvals.decide', {
    id: row.id,
    digest: row.digest,
    decision,
    comment: flags.comment ?? '',
    key: flags.key ?? randomUUID(),
    channel: 'cli',
    ...tokenOf(flags, io),
  });
  if (flags.json === true) io.stdout.write(json({ ...decided, pid: process?.pid ?? null }));
  else {
    const again = decided.replayed ? 'Decided before; nothing changed.\n\n' : '';
    io.stdout.write(`${again}${showText(decided, Date.now())}`);
  }
  return exitCode.fine;
}

async function token(name: string, flags: TokenFlags, io: Io): Promise<number> {
  const { addApprover, approverFile } = await import('@plimsoll/host/protocol');
  const file = approverFile(resolve(io.cwd, flags.dir), io.env);
  const made = addApprover(file, name, flags.group ?? []);
  if (flags.json === true) io.stdout.write(json({ name, groups: flags.group ?? [], token: made, file }));
  else {
    io.stdout.write(`${made}\n`);
    io.stderr.write(`The token of ${name}; it is shown once. ${file} keeps only its hash.\n`);
  }
  return exitCode.fine;
}

/** The approval with this id or beginning of an id. */
function pick(id: string, found: readonly FoundApproval[]): FoundApproval {
  const exact = found.find(({ row }) => row.id === id);
  const near = id.length < 4 ? [] : found.filter(({ row }) => row.id.startsWith(id));
  const one = exact ?? (near.length === 1 ? near[0] : undefined);
  if (one === undefined) throw failure('PLM_APPROVAL_UNKNOWN', { id });
  return one;
}

/** A token from a file or the environment, never from an argument, which every user of the machine can read. */
function tokenOf(flags: DecideFlags, io: Io): { readonly token?: string } {
  if (flags.tokenFile === undefined) {
    const token = io.env['PLIMSOLL_TOKEN']?.trim();
    return token === undefined || token === '' ? {} : { token };
  }
  const file = resolve(io.cwd, flags.tokenFile);
  try {
    return { token: readFileSync(file, 'utf8').trim() };
  } catch (error) {
    throw failure('PLM_APPROVAL_FILE', { file, reason: (error as Error).message }, { cause: error });
  }
}

function jsonRow({ row, process }: FoundApproval): object {
  return { ...row, pid: process?.pid ?? null };
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
