import { resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { parseByteSize } from '@plimsoll/core/units';
import { failure } from '@plimsoll/core/internal/errors';
import type { Explanation } from '@plimsoll/govern/internal/policy/explain';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';

interface ExplainOptions {
  readonly policy?: string;
  readonly limit?: string;
  readonly json?: boolean;
}

const defaultPolicy = 'plimsoll.yaml';

const help = `
Example:
  plimsoll explain process/agent:planner/session:42
  plimsoll explain agent:planner --policy ops/memory.yaml --limit 512MiB`;

export const addExplainCommand: AddCommand = (program, io, done) => {
  program
    .command('explain')
    .description('say which rule gives a scope which number, and why the others do not')
    .argument('<scope>', 'a scope path such as process/agent:planner/session:42')
    .option('--policy <file>', `the policy; ${defaultPolicy} when it exists, else the built-in one`)
    .option('--limit <size>', 'the true limit, for budgets in percent; "plimsoll run" prints it at start')
    .option('--json', 'print the explanation as JSON')
    .addHelpText('after', help)
    .action(async (scope: string, options: ExplainOptions) => done(await explainScope(scope, options, io)));
};

async function explainScope(scope: string, options: ExplainOptions, io: Io): Promise<number> {
  const { builtInPolicy } = await import('@plimsoll/govern/internal/policy/built-in');
  const { explain } = await import('@plimsoll/govern/internal/policy/explain');
  const { readPolicyFile } = await import('@plimsoll/govern/internal/policy/policy-file');
  const limitBytes = options.limit === undefined ? undefined : parseByteSize(options.limit);
  if (options.limit !== undefined && limitBytes === undefined)
    throw failure('PLM_CLI_BAD_OPTION', {
      option: '--limit',
      value: options.limit,
      accepted: 'a size with a unit such as 512MiB',
    });
  const file = options.policy ?? (existsSync(resolve(io.cwd, defaultPolicy)) ? defaultPolicy : undefined);
  const policy = file === undefined ? builtInPolicy : readPolicyFile(resolve(io.cwd, file), file);
  const explanation = explain(policy, scope, limitBytes);
  io.stdout.write(
    options.json === true ? `${JSON.stringify(explanation, null, 2)}\n` : `${textOf(explanation)}\n`,
  );
  return exitCode.fine;
}

function textOf(explanation: Explanation): string {
  const { path, policy, mode, values, unused } = explanation;
  const width = Math.max(...values.map(({ value }) => value.length));
  const lines = values.map(({ key, value, from, why }) => {
    const reason = why === undefined ? '' : `; ${why}`;
    return `  ${key.padEnd(8)}  ${value.padEnd(width)}  from ${from}${reason}`;
  });
  return [
    path,
    ...lines,
    ...(unused.length > 0 ? ['rules that gave nothing'] : []),
    ...unused.map(({ rule, place, why }) => `  ${rule} (${place}): ${why}`),
    `policy ${policy.file}, revision ${policy.revision}, mode ${mode}`,
  ].join('\n');
}
