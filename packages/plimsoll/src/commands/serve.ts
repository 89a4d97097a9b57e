import { resolve } from 'node:path';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';

interface ServeOptions {
  readonly dir: string;
  readonly ledger?: string;
  readonly port: string;
  readonly host?: string;
  readonly allowRemote?: boolean;
  readonly allowHost?: readonly string[];
  readonly private?: boolean;
  readonly otlp?: string;
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll serve                            the processes of this folder, running or gone
  plimsoll serve --ledger backup/ledger     a ledger of a process that is gone
  plimsoll serve --otlp http://localhost:4318

The address that is printed carries a token after "#": whoever has it may decide approvals.`;

export const addServeCommand: AddCommand = (program, io, done) => {
  program
    .command('serve')
    .description(
      'serve the dashboard, the JSON API and metrics for the governed processes of a folder, or for a ledger',
    )
    .option('--dir <folder>', 'the folder of the runs', '.plimsoll')
    .option('--ledger <path>', 'show this ledger instead: its folder, or one of its files')
    .option('--port <port>', 'the port; 0 takes a free one', '4180')
    .option('--host <address>', 'the address to listen on; 127.0.0.1 by default')
    .option('--allow-remote', 'let other machines in; everything then needs the token')
    .option('--allow-host <name...>', 'a name that a proxy in front of the server uses')
    .option('--private', 'reading needs the token too, as for other users of this machine')
    .option(
      '--otlp <url>',
      'send metrics to an OpenTelemetry collector; OTEL_EXPORTER_OTLP_ENDPOINT does the same',
    )
    .option('--json', 'print the address as JSON')
    .addHelpText('after', help)
    .action(async (options: ServeOptions) => done(await serve(options, io)));
};

async function serve(options: ServeOptions, io: Io): Promise<number> {
  const { startServing, parsePort, otlpOf } = await import('../server/serve-run.ts');
  const serving = await startServing({
    dir: resolve(io.cwd, options.dir),
    ledger: options.ledger === undefined ? undefined : resolve(io.cwd, options.ledger),
    port: parsePort(options.port, '--port'),
    portOption: '--port',
    host: options.host,
    allowRemote: options.allowRemote,
    allowHosts: options.allowHost,
    isPrivate: options.private,
    otlp: otlpOf(options.otlp, io),
    env: io.env,
  });
  const { address, addressWithToken: open } = serving;
  io.stdout.write(
    options.json === true ? `${JSON.stringify({ address, open })}\n` : `plimsoll: dashboard at ${open}\n`,
  );
  await stopped(process);
  await serving[Symbol.asyncDispose]();
  return exitCode.fine;
}

/** Resolves at the first signal that means to end. */
export function stopped(source: NodeJS.EventEmitter): Promise<void> {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  return new Promise((resolvePromise) => {
    // The server alone does not keep a process running; here it is all there is to do.
    const alive = setInterval(() => undefined, 60_000);
    const end = (): void => {
      clearInterval(alive);
      for (const name of names) source.off(name, end);
      resolvePromise();
    };
    for (const name of names) source.on(name, end);
  });
}
