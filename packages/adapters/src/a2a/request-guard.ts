import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request that is refused before anybody looks into it. */
export class RequestRefusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

const mostBodyBytes = 64 * 1024;
const bodyMs = 5000;

/** Refuses what a browser could be tricked into sending: a foreign page's request, and a name that was made to point here. */
export function checkSource(request: IncomingMessage, hosts: readonly string[] | undefined): void {
  if (request.headers.origin !== undefined)
    throw new RequestRefusal(403, 'requests from web pages are refused');
  if (hosts === undefined) return;
  const host = URL.parse(`http://${request.headers.host ?? ''}/`)?.hostname ?? '';
  if (!hosts.includes(host)) throw new RequestRefusal(403, 'this host name is not one of this server');
}

/** The token of "Authorization: Bearer". */
export function bearerOf(request: IncomingMessage): string {
  const found = /^Bearer ([A-Za-z0-9._~+/=-]{1,4096})$/i.exec(request.headers.authorization ?? '')?.[1];
  if (found === undefined)
    throw new RequestRefusal(401, 'a bearer token is needed', {
      'www-authenticate': 'Bearer realm="plimsoll"',
    });
  return found;
}

/** The JSON of a request, from the stream or as a framework has read it before. */
export async function bodyOf(request: IncomingMessage & { body?: unknown }): Promise<unknown> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type))
    throw new RequestRefusal(415, 'the body has to be JSON');
  if (typeof request.body === 'object' && request.body !== null) return request.body;
  const text = await readBody(request);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new RequestRefusal(400, 'the body is not JSON');
  }
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const timer = setTimeout(
      () => reject(new RequestRefusal(408, 'the body did not come in time', { connection: 'close' })),
      bodyMs,
    );
    timer.unref();
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > mostBodyBytes) {
        request.pause();
        reject(new RequestRefusal(413, `the body may have ${mostBodyBytes} bytes`, { connection: 'close' }));
      } else parts.push(part);
    });
    request.on('end', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(parts).toString('utf8'));
    });
    request.on('error', reject);
    request.on('close', () => {
      clearTimeout(timer);
      reject(new RequestRefusal(400, 'the request was not complete'));
    });
  });
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  // Whoever is refused before the end of the body may go on sending it; the connection does not wait for that.
  if (headers['connection'] === 'close') response.on('finish', () => response.req.destroy());
  response.end(JSON.stringify(value));
}
