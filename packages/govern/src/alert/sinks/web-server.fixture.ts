import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { certificate, privateKey } from './tls.fixture.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real local server that records its requests and gives the answers that a test sets. */
export class WebServer {
  readonly received: Received[] = [];
  answer: (response: ServerResponse, request: IncomingMessage) => void = (response) =>
    response.writeHead(204).end();
  connections = 0;
  url = '';
  readonly #server: Server;

  private constructor(withTls: boolean) {
    const take = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#take(request, response);
    this.#server = withTls
      ? createTlsServer({ cert: certificate, key: privateKey }, take)
      : createServer(take);
    this.#server.on('connection', () => this.connections++);
  }

  static async start(withTls = false): Promise<WebServer> {
    const made = new WebServer(withTls);
    await new Promise<void>((resolve) => made.#server.listen(0, '127.0.0.1', resolve));
    made.url = `http${withTls ? 's' : ''}://127.0.0.1:${(made.#server.address() as AddressInfo).port}`;
    return made;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    this.received.push({
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(parts).toString(),
    });
    this.answer(response, request);
  }
}
