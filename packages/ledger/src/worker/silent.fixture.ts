/** A worker that says it is ready and never answers again. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', () => undefined);
parentPort?.postMessage({ type: 'ready', head: { seq: 0, hash: '' }, setAside: [], replayed: 0 });
