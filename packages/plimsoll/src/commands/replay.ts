import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { timeOption } from '../ledger/time-option.ts';
import type { AddCommand } from '../program.ts';

interface ReplayFlags {
  readonly policy: string;
  readonly against?: string;
  readonly ledger: string;
  readonly since: string;
  readonly until?: string;
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll replay --policy new.yaml                                 against what was recorded in the last day
  plimsoll replay --policy new.yaml --against plimsoll.yaml         against the policy in force
  plimsoll replay --policy new.yaml --since 7d --json | jq .after

Nothing is changed. What actions would have freed is not in the history, so the counts are an upper bound.`;

export const addReplayCommand: AddCommand = (program, io, done) => {
  program
    .command('replay')
    .description('run a policy over the history: what it would have done, before it goes live')
    .requiredOption('--policy <file>', 'the policy to try')
    .option('--against <file>', 'compare with this policy instead of what the ledger recorded')
    .option('--ledger <folder>', 'folder of the ledger, or the .plimsoll folder above it', '.plimsoll/ledger')
    .option('--since <time>', 'from this time: "24h" ago or "2026-07-01T10:00:00Z"', '24h')
    .option('--until <time>', 'up to this time, in the same forms')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(async (flags: ReplayFlags) => done(await run(flags, io)));
};

async function run(flags: ReplayFlags, io: Io): Promise<number> {
  const { readPolicyFile } = await import('@plimsoll/core/policy');
  const { LedgerReader } = await import('@plimsoll/ledger');
  const { replay } = await import('../replay/replay.ts');
  const policyOf = (file: string) => readPolicyFile(resolve(io.cwd, file), file);
  const now = Date.now();
  const options = {
    policy: policyOf(flags.policy),
    against: flags.against === undefined ? undefined : policyOf(flags.against),
    since: timeOption('--since', flags.since, now) as number,
    until: timeOption('--until', flags.until, now) ?? now,
    onProgress: progress(io),
  };
  const reader = new LedgerReader(ledgerDir(resolve(io.cwd, flags.ledger)));
  try {
    const result = await replay(reader, options);
    if (flags.json === true) io.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    else {
      const { replayText } = await import('../replay/replay-text.ts');
      io.stdout.write(replayText(result));
    }
    return exitCode.fine;
  } finally {
    reader.close();
  }
}

/** A percentage on a terminal, once it takes longer than a second. */
function progress(io: Io): (ratio: number) => void {
  let shown = performance.now();
  return (ratio) => {
    if (io.stderr.isTTY !== true || performance.now() - shown < 1000) return;
    shown = performance.now();
    io.stderr.write(`\rreplayed ${Math.round(100 * ratio)} % \r`);
  };
}

/** The folder itself, or its `ledger` folder when that is where the files are. */
function ledgerDir(dir: string): string {
  return !existsSync(join(dir, 'samples.db')) && existsSync(join(dir, 'ledger', 'samples.db'))
    ? join(dir, 'ledger')
    : dir;
}
