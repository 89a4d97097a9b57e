import { PassThrough } from 'node:stream';
import { resolve } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { version } from '@plimsoll/core/internal/version';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { runProgram } from '../program.ts';
import { commandsFor } from './commands-for.ts';
import type { AddCommand } from '../program.ts';

interface McpFlags {
  readonly dir: string;
  readonly root: string;
  readonly allowRun?: boolean;
  readonly maxChars: string;
}

const help = `
Example:
  claude mcp add plimsoll -- npx -y -p plimsoll -p @modelcontextprotocol/sdk plimsoll mcp
  plimsoll mcp --allow-run       also offers "stress", which starts programs

Speaks the Model Context Protocol on standard input and output. Read-only by default.`;

export const addMcpCommand: AddCommand = (program, io, done) => {
  program
    .command('mcp')
    .description(
      'answer a coding agent: processes, scopes, findings with trace and source lines, snapshots, history',
    )
    .option('--dir <folder>', 'the folder of the runs', '.plimsoll')
    .option('--root <folder>', 'files are read inside this folder only', '.')
    .option('--allow-run', 'offer tools that start programs (stress)')
    .option('--max-chars <number>', 'longest answer', '8000')
    .addHelpText('after', help)
    .action(async (flags: McpFlags) => {
      done(await serve(flags, io));
    });
};

async function serve(flags: McpFlags, io: Io): Promise<number> {
  const mostChars = Number(flags.maxChars);
  if (!Number.isInteger(mostChars) || mostChars < 500)
    throw failure('PLM_CLI_BAD_OPTION', {
      option: '--max-chars',
      value: flags.maxChars,
      accepted: 'a whole number of 500 or more',
    });
  const { serveStdio } = await import('../mcp/mcp-server.ts');
  const { liveProcesses, toolsOf } = await import('../mcp/tools.ts');
  const root = resolve(io.cwd, flags.root);
  const dir = resolve(io.cwd, flags.dir);
  const tools = toolsOf({
    root,
    dir,
    live: liveProcesses(dir),
    command: (...args) => printed(args, { ...io, cwd: root }),
  });
  const offered = tools.filter(({ isReadOnly }) => isReadOnly || flags.allowRun === true);
  await serveStdio({ tools: offered, mostChars }, io);
  return exitCode.fine;
}

/** The output of one of our commands as text. Standard output is reserved for the protocol. */
async function printed(args: readonly string[], io: Io): Promise<string> {
  let text = '';
  let said = '';
  const stdout = new PassThrough().on('data', (chunk) => (text += String(chunk)));
  const stderr = new PassThrough().on('data', (chunk) => (said += String(chunk)));
  const code = await runProgram(
    args,
    { ...io, stdout, stderr, stdin: new PassThrough() },
    await commandsFor(args),
    version,
  );
  await new Promise((resolvePromise) => setImmediate(resolvePromise));
  if (code === exitCode.fine || code === exitCode.finding) return text;
  throw new Error(said.trim() === '' ? text : said.trim());
}
