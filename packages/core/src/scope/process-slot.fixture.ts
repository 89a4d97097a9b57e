/** Started as a process or a worker of its own: says which scopes it sees and leaves in the way it was told. */
import { writeSync } from 'node:fs';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { open, processScope, roster } from './index.ts';

const way: unknown = isMainThread ? process.argv[2] : workerData;
const session = open('session', '42');
session.own(() => new Promise(() => {}), 'never ends');
session.charge(100);

if (way === 'worker') {
  parentPort?.postMessage({
    paths: [...roster.open].map(({ path }) => path),
    held: processScope().account.held,
  });
} else if (way === 'exit') {
  session.run(() => process.exit(7));
} else if (way === 'idle') {
  void session.close();
  // What does not hold a process open is not among its active resources.
  const held = process.getActiveResourcesInfo().filter((name) => name === 'Timeout' || name === 'Immediate');
  writeSync(1, `waits for [${held.join()}]\n`);
} else if (way === 'throw') {
  session.run(() => {
    throw new Error('mine');
  });
}
