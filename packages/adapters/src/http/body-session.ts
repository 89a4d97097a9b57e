import { StringDecoder } from 'node:string_decoder';
import type { SessionSource } from '@plimsoll/govern/internal/policy/sections/sessions';
import { JsonField } from './json-field.ts';
import { nameFrom } from './session-id.ts';
import type { RequestHead } from './session-id.ts';

/** A request whose body arrives by `push`. */
export interface BodyRequest extends RequestHead {
  readonly method?: string | undefined;
  readonly push: (this: BodyRequest, chunk: unknown, encoding?: BufferEncoding) => boolean;
}

/** An id further back in a body is not looked for. */
const mostBytes = 32 * 1024;

/**
 * Finds the session id in a JSON body as the body arrives, so that it is known before the program has read the body, by whatever framework.
 * The body itself is left as it is. `found` is called at most once.
 */
export function watchBody(
  request: BodyRequest,
  sources: readonly SessionSource[],
  found: (session: string) => void,
): void {
  const inBody = sources.filter(({ at }) => at === 'body');
  if (inBody.length === 0 || !hasJsonBody(request)) return;
  const field = new JsonField(inBody.map(({ name }) => name));
  const decoder = new StringDecoder();
  const { push } = request;
  let bytes = 0;
  const end = (): void => void Reflect.deleteProperty(request, 'push');
  const look = (chunk: unknown): void => {
    if (!(chunk instanceof Uint8Array)) return end();
    bytes += chunk.length;
    const known = field.take(decoder.write(chunk as Buffer));
    if (known !== undefined) found(nameFrom({ at: 'body', name: known.field }, known.value));
    if (field.isOver || bytes > mostBytes) end();
  };
  Object.defineProperty(request, 'push', {
    value(this: BodyRequest, chunk: unknown, encoding?: BufferEncoding) {
      try {
        look(chunk);
      } catch {
        end();
      }
      return push.call(this, chunk, encoding);
    },
    writable: true,
    configurable: true,
    // A program that prints the request sees what it saw before.
    enumerable: false,
  });
}

function hasJsonBody({ method = 'GET', headers }: BodyRequest): boolean {
  if (method === 'GET' || method === 'HEAD' || headers['content-encoding'] !== undefined) return false;
  return /\bjson\b/i.test(String(headers['content-type'] ?? ''));
}
