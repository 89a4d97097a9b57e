/** Started as a process or a worker of its own: says which scopes it sees and leaves in the way it was told. */
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
} else if (way === 'throw') {
  session.run(() => {
    throw new Error('mine');
  });
}
