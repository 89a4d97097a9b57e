/** A worker that confirms entries only when it is asked to close, and ends later. */
import { parentPort } from 'node:worker_threads';
import type { WorkerRequest } from './protocol.ts';

const head = { seq: 1, hash: '' };
parentPort?.on('message', (request: WorkerRequest) => {
  if (request.type !== 'close') return;
  parentPort?.postMessage({ type: 'audit', delivery: 1, head, setAside: [] });
  setTimeout(() => parentPort?.close(), 300);
});
parentPort?.postMessage({ type: 'ready', head, setAside: [], replayed: 0 });
