import { JsonField, WantedFields } from './json-field.ts';
import { nameFrom } from './session-id.ts';
import type { RequestHead } from './session-id.ts';
import type { SessionSource } from '@plimsoll/govern/internal/policy/sections/sessions';

/** A request whose body arrives by `push`. */
export interface BodyRequest extends RequestHead {
  readonly method?: string | undefined;
  readonly httpVersionMajor?: number | undefined;
  readonly push: (this: BodyRequest, chunk: unknown, encoding?: BufferEncoding) => boolean;
}

/** An id further back in a body is not looked for. */
const mostBytes = 32 * 1024;

interface Watched {
  readonly field: JsonField;
  readonly found: (session: string) => void;
  bytes: number;
}

type Push = (this: BodyRequest, chunk: unknown, encoding?: BufferEncoding) => boolean;

/**
 * Finds the session id in a JSON body as the body arrives, so that it is known before the program has read the body, by whatever framework.
 * The body itself is left as it is.
 *
 * The class of requests gets another `push`, once for HTTP and once for HTTP/2. A property on each request that is taken away again makes V8 keep the request as a
 * dictionary, and all code of Node.js and of the framework that reads it slower: a twentieth of a small turn.
 */
export class BodySessions {
  readonly #watched = new Map<BodyRequest, Watched>();
  readonly #replace: (holder: object, method: string, value: unknown) => void;
  readonly #hooked = new WeakSet<object>();
  #sources: readonly SessionSource[] | undefined;
  #wanted: WantedFields | undefined;

  /** `replace` puts a method of ours into a class, until the adapter is disconnected. */
  constructor(replace: (holder: object, method: string, value: unknown) => void) {
    this.#replace = replace;
  }

  /** `found` is called at most once. */
  watch(request: BodyRequest, sources: readonly SessionSource[], found: (session: string) => void): void {
    const wanted = this.#wantedOf(sources);
    if (wanted === undefined || !hasJsonBody(request)) return;
    this.#hook(classOf(request));
    this.#watched.set(request, { field: new JsonField(wanted), found, bytes: 0 });
  }

  /** The connection of a request is over. */
  delete(request: BodyRequest): void {
    this.#watched.delete(request);
  }

  stop(): void {
    this.#watched.clear();
  }

  #hook(prototype: object): void {
    if (this.#hooked.has(prototype)) return;
    this.#hooked.add(prototype);
    const watched = this.#watched;
    const look = (request: BodyRequest, chunk: unknown): void => this.#look(request, chunk);
    const original = Reflect.get(prototype, 'push') as Push;
    const push: Push = function (chunk, encoding) {
      if (watched.size > 0) look(this, chunk);
      return original.call(this, chunk, encoding);
    };
    this.#replace(prototype, 'push', push);
  }

  #look(request: BodyRequest, chunk: unknown): void {
    const watched = this.#watched.get(request);
    if (watched === undefined) return;
    try {
      if (chunk instanceof Uint8Array && !lookInto(chunk, watched)) return;
    } catch {
      // The request stays without the session.
    }
    this.#watched.delete(request);
  }

  #wantedOf(sources: readonly SessionSource[]): WantedFields | undefined {
    if (this.#sources === sources) return this.#wanted;
    const names = sources.filter(({ at }) => at === 'body').map(({ name }) => asBytes(name));
    this.#sources = sources;
    this.#wanted = names.length === 0 ? undefined : new WantedFields(names);
    return this.#wanted;
  }
}

let incoming: object | undefined;

/** The class that Node.js gives its requests; a program may derive classes from the one of HTTP. */
function classOf(request: BodyRequest): object {
  // Asked for once, because every request with a body gets here.
  incoming ??= process.getBuiltinModule('node:http').IncomingMessage.prototype;
  return Object.prototype.isPrototypeOf.call(incoming, request)
    ? incoming
    : (Object.getPrototypeOf(request) as object);
}

/** Bytes that are made text at once. Most bodies begin with the id, or have none in their first part. */
const sliceBytes = 2048;

/** True when no further piece can matter. */
function lookInto(chunk: Uint8Array, watched: Watched): boolean {
  const { field } = watched;
  const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
  for (let at = 0, end = 0; at < bytes.length && !field.isOver && watched.bytes < mostBytes; at = end) {
    end = Math.min(at + sliceBytes, bytes.length);
    // As bytes: a character that is cut in two by the end of a piece needs no memory then, and the structure of JSON is in ASCII.
    const known = field.take(bytes.toString('latin1', at, end));
    watched.bytes += end - at;
    if (known !== undefined)
      watched.found(nameFrom({ at: 'body', name: fromBytes(known.field) }, fromBytes(known.value)));
  }
  return field.isOver || watched.bytes >= mostBytes;
}

function asBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function fromBytes(text: string): string {
  return /[\x80-\xff]/.test(text) ? Buffer.from(text, 'latin1').toString() : text;
}

function hasJsonBody({ method = 'GET', headers }: BodyRequest): boolean {
  if (method === 'GET' || method === 'HEAD' || headers['content-encoding'] !== undefined) return false;
  const type = headers['content-type'];
  return type === 'application/json' || /\bjson\b/i.test(String(type ?? ''));
}
