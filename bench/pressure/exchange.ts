import { request } from 'node:http';
import type { Agent, IncomingMessage } from 'node:http';

/**
 * How one request ended, as the client saw it. `refused` is an answer that says later, `lost` one that does not know the session,
 * `broken` a reply that stopped in the middle or says that it was cut off, `unreachable` no answer at all.
 */
export type Outcome = 'served' | 'refused' | 'lost' | 'broken' | 'unreachable';

export interface Exchange {
  readonly outcome: Outcome;
  readonly status: number;
  readonly text: string;
  /** Of the header `Retry-After`; 0 without one. */
  readonly retryAfterMs: number;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly timeoutMs: number;
  /** The connection is dropped after so many bytes, on purpose. */
  readonly leaveAfterBytes?: number;
}

/** Sends one request and reads its answer to the end; never rejects. */
export function exchange(base: string, agent: Agent, call: Call): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  const headers = { 'content-type': 'application/json' };
  const sent = request(`${base}${call.path}`, { method: call.method, agent, headers });
  const timer = setTimeout(() => sent.destroy(new Error('timeout')), call.timeoutMs);
  const end = (result: Exchange): void => {
    clearTimeout(timer);
    resolve(result);
  };
  sent.on('error', () => end({ outcome: 'unreachable', status: 0, text: '', retryAfterMs: 0 }));
  sent.on('response', (response) => void read(response, call.leaveAfterBytes).then(end));
  sent.end(call.body === undefined ? undefined : JSON.stringify(call.body));
  return promise;
}

async function read(
  response: IncomingMessage,
  leaveAfterBytes = Number.POSITIVE_INFINITY,
): Promise<Exchange> {
  const status = response.statusCode ?? 0;
  const retryAfterMs = 1000 * (Number(response.headers['retry-after'] ?? 0) || 0);
  // Only the end says whether a run was finished; a reply of a megabyte is not kept for that.
  let tail = '';
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      tail = (tail + chunk.toString('latin1')).slice(-400);
      if (bytes >= leaveAfterBytes) return { outcome: 'served', status, text: tail, retryAfterMs };
    }
  } catch {
    return { outcome: 'broken', status, text: tail, retryAfterMs };
  }
  return { outcome: judge(status, response, tail), status, text: tail, retryAfterMs };
}

function judge(status: number, response: IncomingMessage, tail: string): Outcome {
  if (status === 404 || status === 410) return 'lost';
  if (status >= 400) return 'refused';
  const isStream = (response.headers['content-type'] ?? '').startsWith('text/event-stream');
  return isStream && !/event: done\n/.test(tail) ? 'broken' : 'served';
}
