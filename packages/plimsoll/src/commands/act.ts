import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { failure } from '@plimsoll/core/internal/errors';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { formatByteSize } from '@plimsoll/core/units';
import { ask, liveDescriptors } from '@plimsoll/host/protocol';
import type { ActAnswer } from '@plimsoll/host/protocol/answers';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';
import { printable } from '../screen/table.ts';

interface ActFlags {
  readonly set: readonly string[];
  readonly until?: string;
  readonly off?: boolean;
  readonly pid?: string;
  readonly dir: string;
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll act session.park --until 60%        parks idle sessions until 60 % of the limit are used
  plimsoll act quarantine session:42           it takes no new turns; its state stays, evidence is kept
  plimsoll act quarantine session:42 --off     it takes turns again
  plimsoll act scope.stop session:42           ends it
  plimsoll act cache.drop --set kinds=cache,pool
  plimsoll act gc.request

Actions are those of a policy's ladder (docs/reference/policy.md). The ledger has who asked. Where the policy wants an
approval for the action, or for operations, it waits for one: plimsoll approvals.`;

/** Longest wait for the answer of an action, because parking writes files. */
const waitMs = 60_000;
/** Checks for the end of a process that closed its connection. */
const endLooks = 50;
const endLookMs = 100;

export const addActCommand: AddCommand = (program, io, done) => {
  program
    .command('act')
    .description('run an action of the ladder by hand: park, shrink, quarantine, stop, collect')
    .argument('<action>', 'name of the action; quarantine is short for scope.quarantine')
    .argument('[scope]', 'path or kind:name of an open scope; the process by default')
    .option('--until <percent>', 'short for --set until=PERCENT')
    .option('--set <key=value...>', 'options of the action as in a policy', [])
    .option('--off', 'end a quarantine')
    .option('--pid <pid>', 'the process; the newest governed one by default')
    .option('--dir <folder>', 'the folder of the run', '.plimsoll')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(async (action: string, scope: string | undefined, flags: ActFlags) =>
      done(await act(action, scope, flags, io)),
    );
};

async function act(action: string, scope: string | undefined, flags: ActFlags, io: Io): Promise<number> {
  const dir = resolve(io.cwd, flags.dir);
  const wanted = flags.pid === undefined ? null : Number(flags.pid);
  const found = liveDescriptors(dir).find((each) => wanted === null || each.pid === wanted);
  if (found === undefined) throw failure('PLM_CLI_NO_PROCESS', { dir, pid: wanted });
  const answer = await ask<ActAnswer>(
    found.socket,
    'act',
    {
      action: action === 'quarantine' ? 'scope.quarantine' : action,
      ...(scope !== undefined && { scope }),
      ...(flags.off === true && { off: true }),
      options: optionsOf(flags),
    },
    { timeoutMs: waitMs },
  ).catch((error: unknown) => ended(error, action, found.pid));
  io.stdout.write(`${flags.json === true ? JSON.stringify(answer, null, 2) : actText(answer)}\n`);
  return answer.outcome === 'failed' ? exitCode.usage : exitCode.fine;
}

/** A process with nothing to drain ends before it can answer that it restarts. */
async function ended(error: unknown, action: string, pid: number): Promise<ActAnswer> {
  const { code } = error as { code?: unknown };
  if (action !== 'process.restart' || code !== 'PLM_CONTROL_UNREACHABLE') throw error;
  for (let i = 0; i < endLooks && isAlive(pid); i++) await pause(endLookMs);
  if (isAlive(pid)) throw error;
  return {
    id: '',
    action,
    scope: 'process',
    outcome: 'done',
    text: 'the process has ended.',
    releasedBytes: 0,
  };
}

function optionsOf({ set, until }: ActFlags): Record<string, string> {
  const pairs = set.map((pair) => {
    const at = pair.indexOf('=');
    if (at <= 0) throw failure('PLM_CLI_BAD_OPTION', { option: '--set', value: pair, accepted: 'key=value' });
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  return { ...Object.fromEntries(pairs), ...(until !== undefined && { until }) };
}

function actText({ action, scope, outcome, text, releasedBytes }: ActAnswer): string {
  const freed = releasedBytes > 0 ? ` (released ${formatByteSize(releasedBytes)} by its own count)` : '';
  return printable(`${outcome}: ${action} on ${scope}: ${text}${freed}`);
}
