import { version } from '@plimsoll/core/internal/version';
import { exitCode } from '../exit-code.ts';
import type { AddCommand } from '../program.ts';

const help = `
Example:
  plimsoll version --json`;

export const addVersionCommand: AddCommand = (program, io, done) => {
  program
    .command('version')
    .description('print the versions of Plimsoll, Node.js and V8')
    .option('--json', 'print them as JSON')
    .addHelpText('after', help)
    .action((options: { readonly json?: boolean }) => {
      const found = { plimsoll: version, node: process.versions.node, v8: process.versions.v8 };
      const lines = Object.entries(found).map(([name, text]) => `${name} ${text}`);
      io.stdout.write(`${options.json === true ? JSON.stringify(found) : lines.join('\n')}\n`);
      done(exitCode.fine);
    });
};
