/**
 * What `plimsoll stress` loads into the program it tests, after the host. It tells where the program listens, measures live memory, and puts
 * faults into its surroundings when it is asked to.
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
  // The program ends when it likes; this connection must not hold it.
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

/** Told of every TCP port that this process begins to listen on. */
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
