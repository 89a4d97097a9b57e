/**
 * `plimsoll stress` loads this file into the program under test, after the host. It reports the program's port, measures live memory and
 * injects faults on request.
 */
import { connect } from 'node:net';
import net from 'node:net';
import { isMainThread } from 'node:worker_threads';
import { answer } from './answer.ts';
import { socketVariable } from './protocol.ts';
import type { Hello } from './protocol.ts';

const path = process.env[socketVariable];
if (path !== undefined && isMainThread) serve(path);

function serve(socketPath: string): void {
  const socket = connect(socketPath);
  // This connection must not keep the program alive.
  socket.unref();
  socket.on('error', () => undefined);
  const say = (value: unknown): void => {
    if (!socket.destroyed) socket.write(`${JSON.stringify(value)}\n`);
  };
  const hello: Hello = { pid: process.pid };
  say(hello);
  tellListening((listening) => say({ pid: process.pid, listening } satisfies Hello));
  answer(socket, say, async () => {
    throw new Error('this process runs no module');
  });
}

/** Calls `tell` with every TCP port on which this process starts listening. */
function tellListening(tell: (listening: NonNullable<Hello['listening']>) => void): void {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its own server
  const original = net.Server.prototype.listen as (...args: unknown[]) => net.Server;
  net.Server.prototype.listen = function listen(this: net.Server, ...args: unknown[]) {
    this.once('listening', () => {
      const address = this.address();
      if (address !== null && typeof address === 'object')
        tell({ port: address.port, address: address.address });
    });
    return Reflect.apply(original, this, args);
  } as typeof net.Server.prototype.listen;
}
