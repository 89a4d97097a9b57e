import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { exitCode } from '../exit-code.ts';
import { makeFolder } from '@plimsoll/core/internal/make-folder';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';

interface InitOptions {
  readonly force?: boolean;
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll init                 plimsoll.yaml and its schema in this folder
  plimsoll init ops/memory.yaml somewhere else`;

export const addInitCommand: AddCommand = (program, io, done) => {
  program
    .command('init')
    .description('write a commented policy to start from, and the schema for your editor')
    .argument('[file]', 'the policy', 'plimsoll.yaml')
    .option('--force', 'overwrite files that exist')
    .option('--json', 'print the names of the written files as JSON')
    .addHelpText('after', help)
    .action(async (file: string, options: InitOptions) => done(await init(file, options, io)));
};

async function init(file: string, options: InitOptions, io: Io): Promise<number> {
  const [{ policyJsonSchema }, { starterPolicy }] = await Promise.all([
    import('@plimsoll/govern/internal/policy/json-schema'),
    import('./starter-policy.ts'),
  ]);
  const path = resolve(io.cwd, file);
  // The schema is ours and the same for all: it may always be written anew. The policy is the user's.
  write(path, file, starterPolicy, options.force === true);
  const schema = join(dirname(file), 'plimsoll.schema.json');
  write(resolve(io.cwd, schema), schema, `${JSON.stringify(policyJsonSchema(), null, 2)}\n`, true);
  io.stdout.write(
    options.json === true
      ? `${JSON.stringify({ policy: file, schema })}\n`
      : `wrote ${file} and ${schema}\nnext: plimsoll run --policy ${file} -- node server.js\n`,
  );
  return exitCode.fine;
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
