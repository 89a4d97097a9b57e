import { Command, CommanderError } from 'commander';
import { exitCode } from './exit-code.ts';
import type { Io } from './io.ts';

/** Adds one verb to the program. The action returns the exit code. */
export type AddCommand = (program: Command, io: Io, done: (code: number) => void) => void;

/** Runs the command line and resolves to the exit code; nothing here calls process.exit. */
export async function runProgram(
  argv: readonly string[],
  io: Io,
  commands: readonly AddCommand[],
  version: string,
): Promise<number> {
  let code: number = exitCode.fine;
  const program = commandTree(io, commands, (result) => (code = result)).version(version);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    return await explain(error, io);
  }
}

/** The command line with its commands, before parsing. The documentation is generated from it. */
export function commandTree(io: Io, commands: readonly AddCommand[], done: (code: number) => void): Command {
  const program = new Command('plimsoll')
    .description('Memory governance for long-running AI-agent servers on Node.js.')
    .showSuggestionAfterError(true)
    .showHelpAfterError('(plimsoll --help lists the commands)')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    });
  for (const add of commands) add(program, io, done);
  return program;
}

async function explain(error: unknown, io: Io): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.fine : exitCode.usage;
  // Loaded on demand, because loading the catalogue of errors takes longer than printing the help page.
  const { isPlimsollError } = await import('@plimsoll/core/internal/errors');
  if (isPlimsollError(error)) {
    io.stderr.write(`${String(error)}\n`);
    return exitCode.usage;
  }
  const stack = error instanceof Error ? error.stack : String(error);
  io.stderr.write(
    `${stack}\nThis is a bug in Plimsoll. Report it with the lines above and "plimsoll --version".\n`,
  );
  return exitCode.bug;
}
