import { resolve } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { exitCode } from '../exit-code.ts';
import type { Descriptor } from '@plimsoll/host/protocol';
import { liveDescriptors, ownerName } from '@plimsoll/host/protocol';
import type { RollbackAnswer } from '@plimsoll/host/protocol/answers';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';

interface RollbackFlags {
  readonly dir: string;
  readonly to?: string;
  readonly undo?: boolean;
  readonly state?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll rollback --reason "parks too many sessions"     to the last good policy, or to shadow
  plimsoll rollback --to shadow --reason "look first"      report what would be done, do nothing
  plimsoll rollback --to 13 --reason "known to be good"    to a revision that was kept
  plimsoll rollback --undo --reason "mended"               what the file says, again
  plimsoll rollback --state                                what is in force, and what could be

A rollback holds, over restarts too, until the policy file changes or --undo.`;

export const addRollbackCommand: AddCommand = (program, io, done) => {
  program
    .command('rollback')
    .description('give up the policy of a governed process: back to the last good one, or to shadow')
    .argument('[pid]', 'the process; the newest governed one by default')
    .option('--to <what>', 'last-good, shadow or the revision of a kept policy', 'last-good')
    .option('--undo', 'put the policy of the file in force again')
    .option('--state', 'change nothing, print the policy in force')
    .option('--reason <text>', 'why; it goes into the ledger')
    .option('--dir <folder>', 'the folder of the run', '.plimsoll')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(async (pid: string | undefined, flags: RollbackFlags) => done(await rollback(pid, flags, io)));
};

async function rollback(pid: string | undefined, flags: RollbackFlags, io: Io): Promise<number> {
  const { ask } = await import('@plimsoll/host/protocol');
  const descriptor = choose(resolve(io.cwd, flags.dir), pid);
  const { op, args } = requestOf(flags);
  const answer = await ask<RollbackAnswer>(descriptor.socket, op, args);
  io.stdout.write(flags.json === true ? `${JSON.stringify(answer, null, 2)}\n` : textOf(answer, descriptor));
  return exitCode.fine;
}

function choose(dir: string, pid: string | undefined): Descriptor {
  const wanted = pid === undefined ? null : Number(pid);
  const found = liveDescriptors(dir).find((each) => wanted === null || each.pid === wanted);
  if (found === undefined) throw failure('PLM_CLI_NO_PROCESS', { dir, pid: wanted });
  return found;
}

function requestOf(flags: RollbackFlags): { readonly op: string; readonly args: Record<string, unknown> } {
  if (flags.state === true) return { op: 'policy.state', args: {} };
  const { reason } = flags;
  if (reason === undefined || reason.trim() === '')
    throw failure('PLM_CLI_BAD_OPTION', {
      option: '--reason',
      value: reason ?? '',
      accepted: 'a sentence for the ledger, such as "parks too many sessions"',
    });
  const who = { by: ownerName(), reason };
  if (flags.undo === true) return { op: 'policy.mode', args: who };
  return { op: 'policy.rollback', args: { to: targetOf(flags.to ?? 'last-good'), ...who } };
}

function targetOf(to: string): string | number {
  if (to === 'last-good' || to === 'shadow') return to;
  if (/^\d{1,15}$/.test(to)) return Number(to);
  throw failure('PLM_CLI_BAD_OPTION', {
    option: '--to',
    value: to,
    accepted: 'last-good, shadow or the revision of a kept policy',
  });
}

function textOf({ record, state, inForce }: RollbackAnswer, { pid, target }: Descriptor): string {
  const mark = (policy: { revision: number; mode: string }): string =>
    `revision ${policy.revision} in mode ${policy.mode}`;
  const latch = state.isLatched
    ? '; it holds until the policy file changes or "plimsoll rollback --undo"'
    : '';
  const good = state.good.map(
    ({ revision, sha256, keptAt }) =>
      `  revision ${revision}  ${sha256.slice(0, 12)}  good since ${new Date(keptAt).toISOString()}`,
  );
  const last = state.last;
  return [
    record === null
      ? `${target} (${pid}) goes by ${mark(inForce)}${latch}`
      : `${target} (${pid}) went from ${mark(record.from)} to ${mark(record.to)}${latch}`,
    ...(record === null && last !== null ? [`last change: ${last.text}`] : []),
    ...(good.length === 0 ? ['no policy was kept as good yet'] : ['kept as good', ...good]),
    '',
  ].join('\n');
}
