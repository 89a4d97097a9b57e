/** A worker that starts and never becomes ready. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', () => undefined);
