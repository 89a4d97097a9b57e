/** A worker that starts and never says that it is ready. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', () => undefined);
