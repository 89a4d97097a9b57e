import { resolve } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { formatByteSize } from '@plimsoll/core/units';
import { exitCode } from '../exit-code.ts';
import type { BisectResult } from '../bisect/bisect.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';
import { printable } from '../screen/table.ts';
import { Interruption } from './interruption.ts';
import { addMeasureOptions, boundsOf, countOption, measurer } from './gate.ts';
import type { MeasureFlags, BoundFlags } from './gate.ts';

interface BisectFlags extends MeasureFlags, BoundFlags {
  readonly build?: string;
  readonly runs: string;
  readonly keep?: boolean;
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll bisect v1.4.0 main --build "npm ci" -- npm run load
  plimsoll bisect HEAD~64 HEAD ./iterate.ts
  plimsoll bisect v1.4.0 main --recipe stress.yaml -- node server.js

Commits are checked out into worktrees of their own; your working tree is not touched. Every step is decided by "plimsoll gate".`;

export const addBisectCommand: AddCommand = (program, io, done) => {
  const subcommand = program
    .command('bisect')
    .description('find the commit that began to leak, by measuring in git worktrees')
    .usage('[options] GOOD BAD -- command [arguments] | module')
    .argument('<good>', 'a commit whose memory is fine')
    .argument('<bad>', 'a later commit whose memory is worse')
    .argument('<command...>', 'a command that ends by itself; a server with --recipe or --serve; or a module')
    .option('--build <command>', 'run once in each checkout by a shell, such as "npm ci"');
  addMeasureOptions(subcommand, 'most runs per commit')
    .option('--dir <folder>', 'where checkouts and evidence go', '.plimsoll/bisect')
    .option('--keep', 'keep the checkouts, so that the next bisection need not build them')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', help)
    .action(async (good: string, bad: string, command: string[], flags: BisectFlags) => {
      done(await runBisect(good, bad, command, flags, io));
    });
};

async function runBisect(
  good: string,
  bad: string,
  command: readonly string[],
  flags: BisectFlags,
  io: Io,
): Promise<number> {
  const { bisect } = await import('../bisect/bisect.ts');
  const { Worktrees } = await import('../bisect/worktrees.ts');
  for (const [name, value] of Object.entries({ GOOD: good, BAD: bad }))
    if (value.startsWith('-'))
      throw failure('PLM_CLI_BAD_OPTION', { option: name, value, accepted: 'a commit, tag or branch' });
  const dir = resolve(io.cwd, flags.dir);
  const worktrees = await Worktrees.open({ cwd: io.cwd, dir, build: flags.build ?? null, env: io.env });
  using stop = new Interruption();
  const evidence = resolve(io.cwd, '.plimsoll/gate');
  try {
    const found = await bisect({
      worktrees,
      good,
      bad,
      bounds: boundsOf(flags),
      mostRuns: countOption('--runs', flags.runs, 100),
      measure: async (cwd) =>
        (await measurer(command, { ...flags, dir: evidence }, { ...io, cwd }, stop.signal))(),
      signal: stop.signal,
      onStep: (commit, outcome, left) => {
        if (flags.json === true) return;
        const name = `${commit.sha.slice(0, 12)} ${printable(commit.subject)}`;
        io.stderr.write(
          outcome === 'begun' ? `measuring ${name} (${left} commits left)\n` : `  ${outcome}\n`,
        );
      },
    });
    if (flags.json === true) io.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
    else io.stdout.write(resultText(found));
    return found.first === null ? 3 : exitCode.fine;
  } finally {
    // A second Ctrl-C ends this process while the checkouts are removed.
    stop[Symbol.dispose]();
    if (flags.keep !== true) await worktrees.removeAll().catch(() => undefined);
  }
}

function resultText({ first, candidates, proof, steps }: BisectResult): string {
  const measured = `${steps.length} commits were measured.\n`;
  if (first === null)
    return `It is one of ${candidates.length} commits; those between did not decide:\n${candidates.map(({ sha, subject }) => `  ${sha.slice(0, 12)} ${printable(subject)}`).join('\n')}\n${measured}`;
  const added = proof?.per1000Calls;
  return [
    `${first.sha.slice(0, 12)} is the first commit whose memory is worse.`,
    `  ${printable(first.subject)}`,
    `  ${printable(first.author)}, ${first.date}`,
    ...(added == null
      ? []
      : [`  1,000 calls add ${formatByteSize(Math.max(0, added))} beyond the good commit`]),
    measured,
  ].join('\n');
}
