import type { ServerResponse } from 'node:http';

/** A request that cannot be served, with the status and the sentence the client gets. */
export class Problem extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'Problem';
    this.status = status;
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
