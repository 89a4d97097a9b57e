import type { ServerResponse } from 'node:http';
import type { ReplayBuffer } from '../run/replay-buffer.ts';

/** Writes a run's events to a client until the run ends or the client leaves; returns whether the client saw the end. */
export async function streamRun(
  response: ServerResponse,
  replay: ReplayBuffer,
  options: { readonly run: number; readonly after: number },
): Promise<boolean> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-run': String(options.run),
  });
  response.flushHeaders();
  for await (const frames of replay.read(options.after, left.signal)) {
    if (!response.write(frames)) await drained(response, left.signal);
  }
  if (left.signal.aborted) return false;
  response.end();
  return true;
}

function drained(response: ServerResponse, left: AbortSignal): Promise<void> {
  if (left.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => resolve();
  response.once('drain', done);
  left.addEventListener('abort', done, { once: true });
  return promise.finally(() => {
    response.off('drain', done);
    left.removeEventListener('abort', done);
  });
}
