/** A real Redis or Valkey server for the benchmark and the tests beside it, where the machine has one. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { endGroup, startGroup } from '../../test/process-group.ts';

/** The command of a server: PLIMSOLL_REDIS_SERVER, or what is on the PATH. */
export function findRedis(): string | undefined {
  const given = process.env['PLIMSOLL_REDIS_SERVER'];
  const names = given === undefined ? ['valkey-server', 'redis-server'] : [given];
  return names.find((name) => spawnSync(name, ['--version']).status === 0);
}

export interface RedisServer {
  readonly port: number;
  stop(): void;
}

/** Starts a server without a file on disk. It ends with this process. */
export async function startRedis(command: string): Promise<RedisServer> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  const child = startGroup(
    command,
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  await new Promise<void>((ready, failed) => {
    let log = '';
    child.once('exit', () => failed(new Error(`the server ended:\n${log}`)));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (/ready to accept connections/i.test(log)) ready();
    });
  });
  return { port, stop: () => endGroup(child) };
}
