import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

const maxBodyBytes = 256 * 1024;

/** The request's JSON object. An empty body counts as an empty object. */
export async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBodyBytes) throw new Problem(413, `A body may have at most ${maxBodyBytes} bytes.`);
    chunks.push(chunk);
  }
  if (bytes === 0) return {};
  const text = Buffer.concat(chunks).toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem(400, 'The body is no JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem(400, 'The body must be a JSON object.');
  }
  return value as Record<string, unknown>;
}
