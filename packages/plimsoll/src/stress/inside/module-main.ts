/** The program that `plimsoll stress module.ts` starts: it loads the module and calls it when it is asked to. */
import { connect } from 'node:net';
import { answer } from './answer.ts';
import { iterate, iterateOf } from './module-runner.ts';
import { socketVariable } from './protocol.ts';

const socket = connect(process.env[socketVariable] ?? '');
socket.on('error', () => process.exit(1));
socket.on('close', () => process.exit(0));
const say = (value: unknown): void => void socket.write(`${JSON.stringify(value)}\n`);
try {
  const run = await iterateOf(process.argv[2] ?? '');
  answer(socket, say, (ask) => iterate(run, ask));
  say({ pid: process.pid, isModule: true });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
  socket.end();
}
