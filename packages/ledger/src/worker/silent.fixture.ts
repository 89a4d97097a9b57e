/** A worker that becomes ready and never answers. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', () => undefined);
parentPort?.postMessage({ type: 'ready', head: { seq: 0, hash: '' }, setAside: [], replayed: 0 });
