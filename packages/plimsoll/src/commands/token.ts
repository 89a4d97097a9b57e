import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { exitCode } from '../exit-code.ts';
import type { AddCommand } from '../program.ts';

const help = `
Example:
  plimsoll token rotate      make another admin token; links, cookies and open pages of the old one end

Scrapers read the token from its file: in Prometheus, authorization: { credentials_file: .plimsoll/token }.`;

export const addTokenCommand: AddCommand = (program, io, done) => {
  program
    .command('token')
    .description('rotate the admin token of a folder')
    .argument('<action>', 'rotate')
    .option('--dir <folder>', 'the folder of the runs', '.plimsoll')
    .option('--json', 'print the file of the token as JSON')
    .addHelpText('after', help)
    .action(async (action: string, options: { readonly dir: string; readonly json?: boolean }) => {
      if (action !== 'rotate')
        throw failure('PLM_CLI_BAD_OPTION', { option: 'action', value: action, accepted: 'rotate' });
      const { rotateToken, tokenFile } = await import('../server/guard/admin-token.ts');
      const dir = resolve(io.cwd, options.dir);
      if (!existsSync(dir)) throw failure('PLM_CLI_NO_SERVER', { dir });
      rotateToken(dir);
      const file = relative(io.cwd, tokenFile(dir));
      io.stdout.write(
        options.json === true
          ? `${JSON.stringify({ file })}\n`
          : `plimsoll: ${file} holds another token; pages that were open need "plimsoll open".\n`,
      );
      done(exitCode.fine);
    });
};
