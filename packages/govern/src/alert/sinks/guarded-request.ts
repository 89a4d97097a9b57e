import type { IncomingMessage, RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';
import { failure } from '@plimsoll/core/internal/errors';
import { publicLookup, refusePrivateHost } from './address-guard.ts';

interface GuardedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Ends the request. The caller gets its reason as the error. */
  readonly signal: AbortSignal;
  /** Whether loopback, private and link-local addresses may be reached. */
  readonly allowPrivate: boolean;
  /** Most bytes of the answer. 0 reads none; a longer answer is an error. */
  readonly mostBytes: number;
  /** Trusted certificates in addition to those of Node.js, for tests and private authorities. */
  readonly ca?: string;
  /** Looks names up; `dns.lookup` by default. */
  readonly lookup?: LookupFunction;
}

export interface GuardedAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/**
 * One HTTP request that cannot be used against the local network and does not keep the process alive. It refuses private addresses, follows
 * no redirects, bounds the answer and unrefs the socket.
 */
export function guardedRequest(url: URL, options: GuardedRequest): Promise<GuardedAnswer> {
  return new Promise((resolve, reject) => {
    const { signal, allowPrivate, body } = options;
    if (signal.aborted) return reject(signal.reason as Error);
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      return reject(new TypeError(`addresses with ${url.protocol} are not supported`));
    try {
      if (!allowPrivate) refusePrivateHost(url.hostname);
    } catch (error) {
      return reject(error as Error);
    }
    const settings: RequestOptions & { ca?: string } = {
      method: options.method ?? 'POST',
      agent: false,
      headers: {
        'user-agent': 'plimsoll',
        ...options.headers,
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      },
      ...(allowPrivate
        ? options.lookup === undefined
          ? {}
          : { lookup: options.lookup }
        : { lookup: publicLookup(options.lookup) }),
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    };
    // An import of node:http would read all its exports. Those load HTTP/2 and fetch, which take 3 MB of heap.
    const { request: send } = process.getBuiltinModule(
      url.protocol === 'https:' ? 'node:https' : 'node:http',
    );
    const request = send(url, settings);
    const end = (settle: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      settle();
      request.destroy();
    };
    const onAbort = (): void => end(() => reject(signal.reason as Error));
    signal.addEventListener('abort', onAbort, { once: true });
    request.on('socket', (socket) => socket.unref());
    request.on('error', (error) => end(() => reject(error)));
    request.on('response', (response) => {
      read(response, url.host, options.mostBytes).then(
        (bytes) =>
          end(() => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes })),
        (error: Error) => end(() => reject(error)),
      );
    });
    request.end(body);
  });
}

/** The answer up to a bound. With a bound of 0 it does not wait for the body. */
async function read(response: IncomingMessage, host: string, mostBytes: number): Promise<Buffer> {
  response.on('error', () => undefined);
  if (mostBytes === 0) return Buffer.alloc(0);
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > mostBytes) throw failure('PLM_ALERT_ANSWER_TOO_LONG', { host, mostBytes });
    parts.push(part);
  }
  return Buffer.concat(parts);
}
