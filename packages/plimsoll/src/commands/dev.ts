import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import type { Io } from '../io.ts';
import { runProgram } from '../program.ts';
import type { AddCommand } from '../program.ts';
import { version } from '@plimsoll/core/internal/version';
import { addRunCommand } from './run.ts';

interface DevOptions {
  readonly policy?: string;
  readonly dir: string;
  readonly port?: string;
  readonly audit?: boolean;
  readonly json?: boolean;
}

const defaultPort = 4180;
const defaultPolicy = 'plimsoll.yaml';

const help = `
Example:
  plimsoll dev -- node server.js
  plimsoll dev --audit -- npm start

Needs no configuration: ${defaultPolicy} is used when it exists, port ${defaultPort} when it is free, and a suspected leak is proved by snapshots.`;

export const addDevCommand: AddCommand = (program, io, done) => {
  program
    .command('dev')
    .description('start a program governed, with the dashboard beside it')
    .usage('[options] -- command [arguments]')
    .argument('<command...>', 'the command of the program, after two dashes')
    .passThroughOptions()
    .option('--policy <file>', `the policy; ${defaultPolicy} when it exists`)
    .option('--dir <folder>', 'where the ledger and the descriptor go', '.plimsoll')
    .option('--port <port>', `the port of the dashboard; ${defaultPort}, or a free one when that is taken`)
    .option('--audit', 'find the code behind listeners, timers and handles that are left; costs some CPU')
    .option('--json', 'print the report of the run as JSON at the end')
    .addHelpText('after', help)
    .action(async (command: string[], options: DevOptions) => {
      done(await runProgram(await runArguments(command, options, io), io, [addRunCommand], version));
    });
};

/** Arguments of `plimsoll run`: the same run, with the dashboard and proof. */
async function runArguments(
  command: readonly string[],
  options: DevOptions,
  io: Io,
): Promise<readonly string[]> {
  const policy = options.policy ?? (existsSync(resolve(io.cwd, defaultPolicy)) ? defaultPolicy : undefined);
  const port = options.port ?? ((await isFree(defaultPort)) ? String(defaultPort) : '0');
  return [
    'run',
    '--dir',
    options.dir,
    '--status',
    port,
    '--proof',
    ...(policy === undefined ? [] : ['--policy', policy]),
    ...(options.audit === true ? ['--audit'] : []),
    ...(options.json === true ? ['--json'] : []),
    '--',
    ...command,
  ];
}

/** Whether the dashboard could listen there now. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', () => done(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)));
  });
}
