import { resolve } from 'node:path';
import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import { isPlimsollError } from '@plimsoll/core';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';

const help = `
Example:
  plimsoll check plimsoll.yaml
  plimsoll check plimsoll.yaml --json | jq .problems

Exit code 0 when the policy can be used, 1 when it cannot.`;

export const addCheckCommand: AddCommand = (program, io, done) => {
  program
    .command('check')
    .description('check a policy: every fault with its place, or a summary of the policy')
    .argument('[policy]', 'the policy file', 'plimsoll.yaml')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', help)
    .action(async (file: string, options: { json?: boolean }) => {
      done(await check(file, options.json === true, io));
    });
};

async function check(file: string, json: boolean, io: Io): Promise<number> {
  const { PolicyError, positionOf } = await import('@plimsoll/govern/internal/policy/parse');
  const { readPolicyFile } = await import('@plimsoll/govern/internal/policy/policy-file');
  try {
    const policy = readPolicyFile(resolve(io.cwd, file), file);
    io.stdout.write(
      json ? `${JSON.stringify(await summaryOf(policy), null, 2)}\n` : `${await textOf(policy)}\n`,
    );
    return exitCode.fine;
  } catch (error) {
    if (!json || !isPlimsollError(error)) throw error;
    const problems = error instanceof PolicyError ? error.problems : [error];
    const list = problems.map((problem) => {
      const { code, message, where, fix } = problem;
      return { code, message, where, ...positionOf(problem), fix };
    });
    io.stdout.write(`${JSON.stringify({ file, ok: false, problems: list }, null, 2)}\n`);
    return exitCode.usage;
  }
}

interface Summary {
  readonly file: string;
  readonly ok: true;
  readonly revision: number;
  readonly sha256: string;
  readonly mode: string;
  readonly levels: Policy['levels'];
  readonly budgets: readonly { scope: string; max: string; priority: string; idle: string; line: number }[];
  readonly ladder: Readonly<Record<string, readonly string[]>>;
  readonly retention: Policy['retention'];
  readonly notes: readonly string[];
}

async function summaryOf(policy: Policy): Promise<Summary> {
  const { formatAmount } = await import('@plimsoll/govern/internal/policy/explain');
  const { formatLine } = await import('@plimsoll/govern/internal/policy/form/place');
  const { file, revision, sha256, mode, levels, retention } = policy;
  const { max, reserveBytes, place } = policy.global;
  const reserve = reserveBytes > 0 ? ` less ${formatByteSize(reserveBytes)}` : '';
  const rows = Object.values(policy.budgets)
    .flat()
    .map((rule) => ({
      scope: `${rule.section} "${rule.glob.text}"`,
      max: rule.max === undefined ? '-' : formatAmount(rule.max),
      priority: rule.priority ?? '-',
      idle: rule.idleMs === undefined ? '-' : formatDuration(rule.idleMs),
      line: rule.place.line,
    }));
  return {
    file,
    ok: true,
    revision,
    sha256,
    mode,
    levels,
    budgets: [
      { scope: 'process', max: `${formatAmount(max)}${reserve}`, priority: '-', idle: '-', line: place.line },
      ...rows,
    ],
    ladder: Object.fromEntries(
      Object.entries(policy.ladder).map(([level, rungs]) => [
        level,
        rungs.map((rung) => (rung.mode === undefined ? rung.action : `${rung.action} (${rung.mode})`)),
      ]),
    ),
    retention,
    notes: policy.notes.map(({ text, place }) => `${formatLine(place)}: ${text}`),
  };
}

async function textOf(policy: Policy): Promise<string> {
  const { formatPercent } = await import('@plimsoll/govern/internal/policy/form/quantity');
  const summary = await summaryOf(policy);
  const head = ['scope', 'max', 'priority', 'idle', 'line'];
  const cells = summary.budgets.map(({ scope, max, priority, idle, line }) => [
    scope,
    max,
    priority,
    idle,
    line === 0 ? 'built-in' : String(line),
  ]);
  const widths = head.map((title, i) =>
    Math.max(title.length, ...cells.map((row) => (row[i] as string).length)),
  );
  const format = (row: readonly string[]): string =>
    row
      .map((cell, i) => cell.padEnd(widths[i] as number))
      .join('  ')
      .trimEnd();
  const levels = Object.entries(summary.levels).map(
    ([level, { enterRatio, exitRatio, forMs, keepMs }]) =>
      `  ${level.padEnd(9)} from ${formatPercent(enterRatio)} for ${formatDuration(forMs)}, until below ${formatPercent(exitRatio)} for ${formatDuration(keepMs)}`,
  );
  const rungs = Object.entries(summary.ladder)
    .filter(([, actions]) => actions.length > 0)
    .map(([level, actions]) => `  ${level.padEnd(9)} ${actions.join(', ')}`);
  return [
    `${summary.file} is fine: revision ${summary.revision}, mode ${summary.mode}, sha256 ${summary.sha256.slice(0, 12)}`,
    'levels',
    ...levels,
    'budgets, most specific first within a kind',
    `  ${format(head)}`,
    ...cells.map((row) => `  ${format(row)}`),
    ...(rungs.length > 0 ? ['ladder', ...rungs] : []),
    ...summary.notes.map((note) => `note: ${note}`),
    `next: plimsoll replay --policy ${summary.file}, to see what it would have done so far`,
  ].join('\n');
}
