/** The program that `plimsoll stress module.ts` starts: it loads the module and calls it when it is asked to. */
import { connect } from 'node:net';
import { answer } from './answer.ts';
import { measure, snapshot } from './measure.ts';
import { iterate, iterateOf } from './module-runner.ts';
import { Faults } from './faults.ts';
import { socketVariable } from './protocol.ts';

const socket = connect(process.env[socketVariable] ?? '');
socket.on('error', () => process.exit(1));
socket.on('close', () => process.exit(0));
const say = (value: unknown): void => void socket.write(`${JSON.stringify(value)}\n`);
const faults = new Faults();
try {
  const run = await iterateOf(process.argv[2] ?? '');
  answer(socket, say, async (ask) => {
    switch (ask.op) {
      case 'measure':
        return measure();
      case 'fault':
        faults.begin(ask.name);
        return true;
      case 'mend':
        return faults.mend();
      case 'snapshot':
        return snapshot(ask.file);
      default:
        return iterate(run, ask);
    }
  });
  say({ pid: process.pid, isModule: true });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
  socket.end();
}
