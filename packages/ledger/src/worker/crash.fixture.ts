/** The real worker, except that it dies at an entry of kind "crash", before or after storing it. */
import { parentPort } from 'node:worker_threads';
import type { WorkerRequest } from './protocol.ts';

const holds = (request: WorkerRequest, kind: string): boolean =>
  request.type === 'audit' && request.entries.some((entry) => entry.kind === kind);

parentPort?.on('message', (request: WorkerRequest) => {
  if (holds(request, 'crash')) process.exit(3);
});
await import('./worker.ts');
parentPort?.on('message', (request: WorkerRequest) => {
  if (holds(request, 'crash-after')) throw new Error('planted');
});
