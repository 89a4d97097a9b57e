import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { CallStep } from './recipe.ts';

/** How a client misbehaves while it reads. */
export type ReaderManner =
  | { readonly kind: 'whole' }
  /** Leaves after the first byte of the answer. */
  | { readonly kind: 'leave' }
  /** Stops reading for `ms` after the first byte, then reads on. */
  | { readonly kind: 'pause'; readonly ms: number }
  /** Reads the head and nothing more; leaves after `ms`. */
  | { readonly kind: 'abandon'; readonly ms: number };

/** The result of one call. */
export interface CallResult {
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  readonly ms: number;
  /** The answer's text, up to a bound; empty when it was not read. */
  readonly text: string;
  readonly bytes: number;
  readonly headers: IncomingHttpHeaders;
  /** Why the answer is not complete; null when it is, or when the client left on purpose. */
  readonly error: string | null;
  /** True when the misbehaviour took place: the client left, paused or abandoned before the end of the answer. */
  readonly hasMisbehaved: boolean;
}

const keptText = 256 * 1024;
const defaultTimeoutMs = 30_000;

export interface CallOptions {
  readonly reading?: ReaderManner;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls one server over kept connections. `node:http` is used instead of a load generator such as autocannon: sessions need values of
 * earlier answers, and faults need the socket in the middle of an answer.
 */
export class HttpClient implements Disposable {
  readonly #base: URL;
  readonly #agent: Agent;

  constructor(base: string, sockets: number) {
    this.#base = new URL(base);
    this.#agent = new Agent({ keepAlive: true, maxSockets: sockets, maxFreeSockets: Math.min(sockets, 64) });
  }

  get base(): URL {
    return this.#base;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  /** Makes one call. Never rejects; a failure is a result. */
  call(
    step: Pick<CallStep, 'method' | 'path' | 'headers' | 'body'>,
    options: CallOptions = {},
  ): Promise<CallResult> {
    const reading = options.reading ?? { kind: 'whole' };
    const started = performance.now();
    const payload = payloadOf(step.body);
    return new Promise((resolve) => {
      let isOver = false;
      let status = 0;
      let bytes = 0;
      let text = '';
      let headers: IncomingHttpHeaders = {};
      const finish = (error: string | null, hasMisbehaved = false): void => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        options.signal?.removeEventListener('abort', stop);
        resolve({ status, ms: performance.now() - started, text, bytes, headers, error, hasMisbehaved });
      };
      const sent = request(
        {
          hostname: this.#base.hostname.replace(/^\[|\]$/g, ''),
          port: this.#base.port,
          path: step.path,
          method: step.method,
          agent: this.#agent,
          headers: {
            host: this.#base.host,
            ...(payload === undefined
              ? {}
              : { 'content-type': payload.type, 'content-length': String(payload.data.byteLength) }),
            ...step.headers,
          },
        },
        (response) => {
          status = response.statusCode ?? 0;
          headers = response.headers;
          read(response, reading, {
            onData: (chunk) => {
              bytes += chunk.byteLength;
              if (text.length < keptText) text += chunk.toString('utf8');
            },
            finish,
            drop: () => sent.destroy(),
          });
        },
      );
      const stop = (): void => {
        finish('stopped');
        sent.destroy();
      };
      const timer = setTimeout(() => {
        finish(`no whole answer within ${(options.timeoutMs ?? defaultTimeoutMs) / 1000} s`);
        sent.destroy();
      }, options.timeoutMs ?? defaultTimeoutMs);
      options.signal?.addEventListener('abort', stop, { once: true });
      sent.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message));
      sent.on('close', () => finish('the connection closed before the answer was whole'));
      sent.end(payload?.data);
    });
  }
}

interface Reader {
  readonly onData: (chunk: Buffer) => void;
  readonly finish: (error: string | null, hasMisbehaved?: boolean) => void;
  readonly drop: () => void;
}

function read(response: IncomingMessage, reading: ReaderManner, { onData, finish, drop }: Reader): void {
  let hasPaused = false;
  response.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message));
  response.on('end', () => finish(null, hasPaused));
  if (reading.kind === 'abandon') {
    // Without a data listener the socket fills up and the server keeps the rest.
    setTimeout(() => {
      const isWaiting = !response.complete;
      finish(null, isWaiting);
      drop();
    }, reading.ms).unref();
    return;
  }
  response.on('data', (chunk: Buffer) => {
    onData(chunk);
    if (reading.kind === 'leave') {
      finish(null, !response.complete);
      drop();
    } else if (reading.kind === 'pause' && !hasPaused && !response.complete) {
      hasPaused = true;
      response.pause();
      setTimeout(() => response.resume(), reading.ms);
    }
  });
}

function payloadOf(body: unknown): { readonly data: Buffer; readonly type: string } | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') {
    const isJson = /^\s*[[{]/.test(body);
    return { data: Buffer.from(body), type: isJson ? 'application/json' : 'text/plain' };
  }
  return { data: Buffer.from(JSON.stringify(body)), type: 'application/json' };
}
