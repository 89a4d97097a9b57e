import type { IncomingMessage } from 'node:http';
import { failure } from '@plimsoll/core/internal/errors';

const mostBodyBytes = 16 * 1024;

/** The body of a request as JSON; undefined when it is not JSON. Reading ends at the bound, whatever Content-Length says. */
export async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const tooLarge = (): Error => failure('PLM_SERVER_BODY_TOO_LARGE', { mostBytes: mostBodyBytes });
  if (Number(incoming.headers['content-length'] ?? 0) > mostBodyBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
