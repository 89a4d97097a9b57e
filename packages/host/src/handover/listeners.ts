import net from 'node:net';
import type { Server } from 'node:net';
import { slots } from '@plimsoll/core/internal/slots';
import type { Predecessor } from './predecessor.ts';

type Listen = Server['listen'];
type Call = (...args: readonly unknown[]) => Server;

/** The port that a call of `listen` asks for; undefined for pipes, handles and file descriptors. */
export function portOf([first]: readonly unknown[]): number | undefined {
  if (first === undefined || typeof first === 'function') return 0;
  if (typeof first === 'object' && first !== null) {
    const { port, path, fd } = first as { port?: unknown; path?: unknown; fd?: unknown };
    if (path !== undefined || fd !== undefined || port === undefined) return undefined;
    return portNumber(port);
  }
  return portNumber(first);
}

function portNumber(value: unknown): number | undefined {
  const isPort = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
  return isPort ? Number(value) : undefined;
}

/**
 * Records the servers of this process that listen on a port, so that the next life of the program can take over their sockets. In a next
 * life, `before` delays a server until the old life has handed its socket over.
 */
export function followListening(before: Pick<Predecessor, 'listener' | 'listening'> | undefined): void {
  // A worker of a cluster listens through its primary.
  if (process.env['NODE_UNIQUE_ID'] !== undefined) return;
  const { servers } = (slots().handover ??= { servers: new Set() });
  const original = Reflect.get(net.Server.prototype, 'listen') as Listen;
  net.Server.prototype.listen = function listen(this: Server, ...args: unknown[]): Server {
    const port = portOf(args);
    const plain = (): Server => (original as Call).apply(this, args);
    if (port === undefined) return plain();
    this.once('listening', () => {
      servers.add(this);
      this.once('close', () => servers.delete(this));
      before?.listening();
    });
    if (before === undefined) return plain();
    before.listener(port, (socket) => {
      if (socket === undefined) {
        plain();
        return;
      }
      socket.server.removeAllListeners('connection');
      (original as Call).call(
        this,
        socket.server,
        args.findLast((arg) => typeof arg === 'function'),
      );
      for (const connection of socket.early) this.emit('connection', connection);
    });
    return this;
  } as Listen;
}
