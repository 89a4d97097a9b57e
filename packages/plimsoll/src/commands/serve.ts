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
  readonly public?: boolean;
  readonly otlp?: string;
  readonly fleet?: string;
  readonly roles?: string;
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll serve                            the processes of this folder, running or gone
  plimsoll serve --ledger backup/ledger     a ledger of a process that is gone
  plimsoll serve --otlp http://localhost:4318
  plimsoll serve --fleet postgres://db.internal/plimsoll

Everything but /healthz and /readyz needs a token. On a terminal the address carries it after "#"; a file or pipe gets a link that opens once.
Whoever has the token may decide approvals. "plimsoll token rotate" makes another one.`;

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
    .option('--public', 'reading needs no token: every user of this machine may look')
    .option(
      '--otlp <url>',
      'send metrics to an OpenTelemetry collector; OTEL_EXPORTER_OTLP_ENDPOINT does the same',
    )
    .option(
      '--fleet <url>',
      'show the fleet of this database, too; for example postgres://db.internal/plimsoll',
    )
    .option(
      '--roles <file>',
      'who may look, decide and roll out: by token, or by the header of a trusted proxy',
    )
    .option('--json', 'print the address as JSON')
    .addHelpText('after', help)
    .action(async (options: ServeOptions) => done(await serve(options, io)));
};

async function serve(options: ServeOptions, io: Io): Promise<number> {
  const { addressLine, startServing } = await import('../server/serve-run.ts');
  const { otlpOf, parsePort } = await import('../server/serve-options.ts');
  const serving = await startServing({
    dir: resolve(io.cwd, options.dir),
    ledger: options.ledger === undefined ? undefined : resolve(io.cwd, options.ledger),
    port: parsePort(options.port, '--port'),
    portOption: '--port',
    host: options.host,
    allowRemote: options.allowRemote,
    allowHosts: options.allowHost,
    isPublic: options.public,
    otlp: otlpOf(options.otlp, io),
    fleet: options.fleet,
    roles: options.roles === undefined ? undefined : resolve(io.cwd, options.roles),
    env: io.env,
    onCollector: (text) => io.stderr.write(`plimsoll: collector ${text}\n`),
  });
  const isTerminal = io.stdout.isTTY === true;
  const { address, addressWithToken } = serving;
  io.stdout.write(
    options.json === true
      ? `${JSON.stringify({ address, open: isTerminal ? addressWithToken : serving.link() })}\n`
      : addressLine(serving, isTerminal),
  );
  await stopped(process);
  await serving[Symbol.asyncDispose]();
  return exitCode.fine;
}

/** Resolves at the first signal to end. */
export function stopped(source: NodeJS.EventEmitter): Promise<void> {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  return new Promise((resolvePromise) => {
    // The server does not keep a process alive, so this timer does.
    const alive = setInterval(() => undefined, 60_000);
    const end = (): void => {
      clearInterval(alive);
      for (const name of names) source.off(name, end);
      resolvePromise();
    };
    for (const name of names) source.on(name, end);
  });
}
