import { resolve } from 'node:path';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { ledgerDir } from '../ledger/ledger-dir.ts';
import { timeOption } from '../ledger/time-option.ts';
import type { AddCommand } from '../program.ts';
import { ProgressLine } from './progress-line.ts';

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
    .description('run a policy over the history, to see its actions before it is used')
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
  const { readPolicyFile } = await import('@plimsoll/govern/internal/policy/policy-file');
  const { LedgerReader } = await import('@plimsoll/ledger');
  const { replay } = await import('../replay/replay.ts');
  const policyOf = (file: string) => readPolicyFile(resolve(io.cwd, file), file);
  const now = Date.now();
  const progress = new ProgressLine(io);
  const options = {
    policy: policyOf(flags.policy),
    against: flags.against === undefined ? undefined : policyOf(flags.against),
    since: timeOption('--since', flags.since, now) as number,
    until: timeOption('--until', flags.until, now) ?? now,
    onProgress: (ratio: number) => progress.show(`replayed ${Math.round(100 * ratio)} %`),
  };
  const reader = new LedgerReader(ledgerDir(resolve(io.cwd, flags.ledger)));
  try {
    const result = await replay(reader, options);
    progress.clear();
    if (flags.json === true) io.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    else {
      const { replayText } = await import('../replay/replay-text.ts');
      io.stdout.write(replayText(result));
    }
    return exitCode.fine;
  } finally {
    progress.clear();
    reader.close();
  }
}
