import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { exitCode } from '../exit-code.ts';
import { makeFolder } from '@plimsoll/core/internal/make-folder';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';

interface InitOptions {
  readonly from?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll init                 plimsoll.yaml and its schema in this folder
  plimsoll init ops/memory.yaml somewhere else
  plimsoll init --from memory_policy.yaml   convert a policy with "memory_budgets"`;

export const addInitCommand: AddCommand = (program, io, done) => {
  program
    .command('init')
    .description('write a commented policy to start from, and the schema for your editor')
    .argument('[file]', 'the policy', 'plimsoll.yaml')
    .option('--from <policy>', 'convert this policy with "memory_budgets" and say what changed')
    .option('--force', 'overwrite files that exist')
    .option('--json', 'print the names of the written files as JSON')
    .addHelpText('after', help)
    .action(async (file: string, options: InitOptions) => done(await init(file, options, io)));
};

async function init(file: string, options: InitOptions, io: Io): Promise<number> {
  const { policyJsonSchema } = await import('@plimsoll/govern/internal/policy/json-schema');
  const { text, changes } = await policyText(options.from, io);
  const path = resolve(io.cwd, file);
  // The schema is always the same, so it may be overwritten. The policy belongs to the user.
  write(path, file, text, options.force === true);
  const schema = join(dirname(file), 'plimsoll.schema.json');
  write(resolve(io.cwd, schema), schema, `${JSON.stringify(policyJsonSchema(), null, 2)}\n`, true);
  io.stdout.write(
    options.json === true
      ? `${JSON.stringify({ policy: file, schema, ...(changes === undefined ? {} : { changes }) })}\n`
      : `wrote ${file} and ${schema}\n${changesText(options.from, changes)}next: plimsoll run --policy ${file} -- node server.js\n`,
  );
  return exitCode.fine;
}

/** The starter policy, or a policy converted from another form. */
async function policyText(
  from: string | undefined,
  io: Io,
): Promise<{ readonly text: string; readonly changes?: readonly string[] }> {
  if (from === undefined) return { text: (await import('./starter-policy.ts')).starterPolicy };
  const { convertMemoryBudgets } = await import('@plimsoll/govern/internal/policy/memory-budgets');
  const { readPolicyText } = await import('@plimsoll/govern/internal/policy/policy-file');
  return convertMemoryBudgets(readPolicyText(resolve(io.cwd, from), from), from);
}

function changesText(from: string | undefined, changes: readonly string[] | undefined): string {
  if (changes === undefined) return '';
  const lines = changes.map((change) => `  ${change}`).join('\n');
  return `changed from ${from}:\n${lines}\n`;
}

function write(path: string, shown: string, text: string, overwrite: boolean): void {
  try {
    makeFolder(dirname(path), 0o777);
    writeFileSync(path, text, { flag: overwrite ? 'w' : 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && existsSync(path)) throw failure('PLM_POLICY_EXISTS', { file: shown });
    throw failure('PLM_CLI_CANNOT_WRITE', { file: shown, reason: message.replace(/, \w+ '.*'$/, '') });
  }
}
