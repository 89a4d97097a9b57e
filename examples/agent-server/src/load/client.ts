import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';

/** A client of the agent server, like a browser or another service. */
export class Client {
  readonly #base: string;
  readonly #agent: Agent;

  constructor(base: string, connections: number) {
    this.#base = base;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  async open(agent: string): Promise<string> {
    const body = await text(await this.#send('POST', '/sessions', { agent }));
    return (JSON.parse(body) as { id: string }).id;
  }

  /** Sends a turn and reads the reply; with `leaveAfterBytes` the connection is closed in the middle. Returns the run's number. */
  async turn(session: string, words: string, leaveAfterBytes?: number): Promise<number> {
    const response = await this.#send('POST', `/sessions/${session}/turns`, { text: words });
    await consume(response, leaveAfterBytes);
    return Number(response.headers['x-run']);
  }

  async replay(session: string, run: number): Promise<number> {
    return consume(await this.#send('GET', `/sessions/${session}/runs/${run}/stream`));
  }

  async close(session: string): Promise<void> {
    await text(await this.#send('DELETE', `/sessions/${session}`));
  }

  destroy(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, body?: unknown): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request(`${this.#base}${path}`, {
      method,
      agent: this.#agent,
      headers: { 'content-type': 'application/json' },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      if ((response.statusCode ?? 500) < 400) resolve(response);
      else {
        text(response).then(
          (problem) => reject(new Error(`${method} ${path}: ${response.statusCode} ${problem}`)),
          reject,
        );
      }
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    return promise;
  }
}

async function text(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function consume(
  response: IncomingMessage,
  leaveAfterBytes = Number.POSITIVE_INFINITY,
): Promise<number> {
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes >= leaveAfterBytes) break;
  }
  return bytes;
}
