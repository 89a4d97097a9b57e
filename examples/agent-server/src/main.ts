/** Starts the agent server: `node src/main.ts [--load] [--leak NAME] ...`, see `--help`. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { onDrain } from '@plimsoll/core';
import { AgentService } from './agent-service.ts';
import type { LoadOptions } from './load/load.ts';
import { parseOptions, usage, UsageError } from './options.ts';
import type { Options } from './options.ts';
import { scopeOpener } from './scope/scopes.ts';

const defaultPort = 4100;

await main().catch((error: unknown) => {
  process.exitCode = 1;
  process.stderr.write(`${error instanceof UsageError ? error.message : (error as Error).stack}\n`);
});

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2), process.env);
  if (options.help) {
    process.stdout.write(usage);
    return;
  }
  const service = new AgentService({
    ...options,
    openScope: scopeOpener(options.ungoverned),
    ...(options.ungoverned ? {} : { parkDir: options.park }),
  });
  const server = createServer(service.handle);
  // Before a restart Plimsoll refuses new work and parks the sessions; the server only has to wait for its runs. It keeps listening until
  // the end: clients get 503 with Retry-After, and management routes answer.
  onDrain(() => service.runsEnded());
  const address = await listen(server, options.port);
  process.stdout.write(`agent server on ${address}\n`);
  const load = options.load === undefined ? undefined : startLoad(address, options.load);
  const ended = Promise.race([signalled(), ...(load === undefined ? [] : [once(load, 'exit')])]);
  const [code] = (await ended) as [unknown];
  if (typeof code === 'number' && code !== 0) {
    process.exitCode = 1;
    process.stderr.write(`the load generator ended with exit code ${code}\n`);
  }
  await stop(server, service, load, options);
}

async function listen(server: Server, port: number | undefined): Promise<string> {
  try {
    server.listen(port ?? defaultPort, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    if (port !== undefined || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Users run in a separate process, without this process's memory and preloads. */
function startLoad(address: string, options: LoadOptions): ChildProcess {
  const { NODE_OPTIONS: _, ...env } = process.env;
  return fork(resolve(import.meta.dirname, 'load/main.ts'), [address, JSON.stringify(options)], {
    execArgv: [],
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

function signalled(): Promise<unknown[]> {
  const { promise, resolve: first } = Promise.withResolvers<unknown[]>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      first([]);
      // A second signal ends the process at once.
      process.once(signal, () => process.exit(signal === 'SIGINT' ? 130 : 143));
    });
  }
  return promise;
}

async function stop(
  server: Server,
  service: AgentService,
  load: ChildProcess | undefined,
  options: Options,
): Promise<void> {
  if (load?.exitCode === null) load.kill('SIGTERM');
  const closed = once(server, 'close');
  server.close();
  await service.drain(options.drainMs);
  server.closeAllConnections();
  await closed;
}
