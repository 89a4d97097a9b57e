import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import { Sources } from './sources.ts';
import type { SourcesOptions } from './sources.ts';
import { WebServer } from './web-server.ts';
import type { WebServerOptions } from './web-server.ts';

export const adminToken = 'test-token-test-token-test-token-test-token';

/** A listening server over a folder, with public read access. It is closed when the test is over. */
export async function serverOver(
  source: SourcesOptions,
  options: Partial<WebServerOptions> = {},
): Promise<{ server: WebServer; address: string; sources: Sources }> {
  const sources = new Sources(source);
  const server = new WebServer({
    sources,
    adminToken: () => adminToken,
    assetDir: '/nowhere',
    isPublic: true,
    takeLink: (link) => link === 'made',
    ...options,
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { server, address: await server.listen(0), sources };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request with any headers and any path, also those that no browser or fetch would send. */
export function send(
  address: string,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, path, method: options.method ?? 'GET', headers: options.headers ?? {}, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(options.body);
  });
}

/** One event of a stream. */
export interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Reads a stream as a browser does. */
export class StreamReader {
  readonly events: StreamEvent[] = [];
  readonly #abort = new AbortController();
  ended = false;

  static async open(
    address: string,
    path = 'api/stream',
    headers: Record<string, string> = {},
  ): Promise<StreamReader> {
    const reader = new StreamReader();
    const response = await fetch(`${address}${path}`, { headers, signal: reader.#abort.signal });
    if (!response.ok || response.body === null)
      throw new Error(`${response.status} ${await response.text()}`);
    onTestFinished(() => reader.close());
    void reader.#read(response.body).catch(() => (reader.ended = true));
    return reader;
  }

  of<T>(name: string): T[] {
    return this.events.filter((each) => each.event === name).map((each) => each.data as T);
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = '';
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() as string;
      for (const block of blocks) {
        const event = /^event: (.+)$/m.exec(block)?.[1];
        const data = /^data: (.+)$/m.exec(block)?.[1];
        if (event !== undefined && data !== undefined)
          this.events.push({ event, data: JSON.parse(data) as unknown });
      }
    }
    this.ended = true;
  }
}
