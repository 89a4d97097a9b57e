import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { AgentService } from './agent-service.ts';
import type { LeakName } from './leak.ts';
import { Load } from './load/load.ts';
import { scopeOpener } from './scope/scopes.ts';

/** Live bytes after complete collection. */
export interface Floor {
  readonly heap: number;
  readonly buffers: number;
}

export interface Soak extends AsyncDisposable {
  /** Runs `sessions` sessions to their end, sweeps the abandoned ones, and reads the floor. */
  run(sessions: number): Promise<Floor>;
}

/** The agent server in this process, without delays, with the load that its README describes; with a folder its sessions are a keeper. */
export async function startSoak(leaks: readonly LeakName[], parkDir?: string): Promise<Soak> {
  const idleMs = 60_000;
  let ahead = 0;
  const service = new AgentService({
    openScope: scopeOpener(false),
    leaks: new Set(leaks),
    seed: 1,
    tokenMs: 0,
    toolMs: 0,
    payloadBytes: 4096,
    idleMs,
    maxSessions: 1000,
    ...(parkDir === undefined ? {} : { parkDir }),
    now: () => performance.now() + ahead,
  });
  const server = createServer(service.handle);
  server.listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let seed = 0;
  return {
    async run(sessions) {
      seed += 1;
      const load = { seed, users: 8, thinkMs: 0, ratePerSecond: 0, abandonRatio: 0.2, sessions };
      const { errors, firstError } = await new Load(base, load).run();
      if (errors > 0) throw new Error(`${errors} sessions failed: ${firstError}`);
      ahead += idleMs;
      while (service.sessions.size > 0) await service.sessions.sweep().then(() => immediate());
      return floor();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await service.drain(0);
    },
  };
}

async function floor(): Promise<Floor> {
  for (let i = 0; i < 5; i += 1) {
    (globalThis.gc as () => void)();
    await immediate();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { heap: heapUsed, buffers: arrayBuffers };
}
