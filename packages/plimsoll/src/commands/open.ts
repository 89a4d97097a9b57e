import { resolve } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { exitCode } from '../exit-code.ts';
import type { AddCommand } from '../program.ts';

interface OpenOptions {
  readonly dir: string;
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll open                      a link to the dashboard of this folder
  xdg-open "$(plimsoll open)"        open it at once

The link opens the dashboard once, within ten minutes. The person who opens it may decide approvals.`;

export const addOpenCommand: AddCommand = (program, io, done) => {
  program
    .command('open')
    .description('print a link that opens the running dashboard once')
    .option('--dir <folder>', 'the folder of the runs', '.plimsoll')
    .option('--json', 'print the address and the link as JSON')
    .addHelpText('after', help)
    .action(async (options: OpenOptions) => {
      const { makeLink } = await import('../server/guard/one-time-link.ts');
      const { liveServers } = await import('../server/serving-file.ts');
      const dir = resolve(io.cwd, options.dir);
      const server = liveServers(dir).at(-1);
      if (server === undefined) throw failure('PLM_CLI_NO_SERVER', { dir });
      const { address } = server;
      const link = `${address}#link=${makeLink(dir)}`;
      io.stdout.write(options.json === true ? `${JSON.stringify({ address, link })}\n` : `${link}\n`);
      done(exitCode.fine);
    });
};
