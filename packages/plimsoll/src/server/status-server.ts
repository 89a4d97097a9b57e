import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame } from '../feed/frame.ts';
import { screenLines } from '../screen/frame-text.ts';

/** The status page of a run on loopback: what `plimsoll top` shows, for a browser or curl. It runs in our process, not in the governed one. */
export class StatusServer {
  readonly #server: Server;
  readonly #frame: () => Frame | undefined;

  constructor(frame: () => Frame | undefined) {
    this.#frame = frame;
    this.#server = createServer({ requestTimeout: 5000, headersTimeout: 5000 }, (request, response) =>
      this.#answer(request, response),
    );
  }

  /** Listens on 127.0.0.1 and resolves to the address. Port 0 takes any free one. */
  async listen(port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    this.#server.unref();
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    // A page of another site can point its own name at 127.0.0.1; only our names may read.
    if (host !== '127.0.0.1' && host !== 'localhost')
      return reply(response, 403, 'text/plain', 'wrong Host\n');
    if (request.method !== 'GET') return reply(response, 405, 'text/plain', 'GET only\n');
    const frame = this.#frame();
    const path = (request.url ?? '/').split('?')[0];
    if (path === '/status.json')
      return reply(
        response,
        frame === undefined ? 503 : 200,
        'application/json',
        JSON.stringify(frame ?? null),
      );
    if (path !== '/') return reply(response, 404, 'text/plain', 'not here: / or /status.json\n');
    const lines =
      frame === undefined
        ? ['waiting for the first reading']
        : screenLines(frame, { sort: 'bytes', filter: '', rows: 60, columns: 140, colour: false }).slice(
            0,
            -2,
          );
    return reply(response, 200, 'text/html; charset=utf-8', page(lines));
  }
}

function reply(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function page(lines: readonly string[]): string {
  const text = lines.join('\n').replace(/[&<>"]/g, (character) => escapes[character] as string);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2"><meta name="viewport" content="width=device-width">
<title>plimsoll</title><style>:root{color-scheme:light dark}body{font:14px/1.5 ui-monospace,monospace;margin:2rem}pre{overflow:auto}</style><pre>${text}</pre></html>\n`;
}
