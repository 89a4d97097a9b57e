/**
 * Every HTTP request and WebSocket is a scope, inside the session that the request names. Node.js tells of connections and requests by
 * diagnostics channels; there the `emit` of the server's class is replaced once. A program that has no HTTP server loads nothing for this.
 * A request is an entry: it is the current scope, but scopes that the program opens are not inside it and do not end with the response.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { admit, isAdmitError, processScope } from '@plimsoll/core';
import type { AdmitError, Scope } from '@plimsoll/core';
import { openEntry } from '@plimsoll/core/internal/adapter/bind-scope';
import { putInto, sessions } from '@plimsoll/core/internal/adapter/session-book';
import type { SessionSource } from '@plimsoll/govern/internal/policy/sections/sessions';
import { sessionDefaults } from '@plimsoll/govern/internal/policy/sections/sessions';
import { connectOnce } from '../framework-slot.ts';
import { BodySessions } from './body-session.ts';
import type { BodyRequest } from './body-session.ts';
import { SendQueues } from './send-queues.ts';
import type { Connection } from './send-queues.ts';
import { sessionOf } from './session-id.ts';

export interface HttpOptions {
  /** Where the id of a session is; asked for every request. Default: the places that a policy without `sessions` has. */
  readonly from?: () => readonly SessionSource[];
  /** Whether a request that begins work may be refused with 503 while memory is short. Default: no. */
  readonly refuses?: () => boolean;
  /** Most bytes that may wait for one slow client before its connection is closed; asked every second. Default: no bound. */
  readonly sendQueueBytes?: () => number | undefined;
}

/** The bound on what waits for a slow client in mode enforce, where the policy names none. */
export const defaultSendQueueBytes = 16 * 1024 ** 2;

interface Closable extends Connection {
  on(event: 'close', listener: () => void): unknown;
}

interface Response extends Closable {
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  end(text: string): unknown;
}

type Emit = (this: object, event: string, ...args: unknown[]) => boolean;

/** Connections, which come before a request, and requests: a connection may be older than the adapter. */
const channelNames = ['net.server.socket', 'http.server.request.start'];

/** Requests that only read. Refusing them would hide health checks and pages from an operator. */
const looking = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Connects the adapter. Calling it again does nothing; the function that it returns disconnects. */
export function plimsoll(options: HttpOptions = {}): () => void {
  return connectOnce('http', () => {
    const adapter = new HttpAdapter(options);
    for (const name of channelNames) subscribe(name, adapter.onServer);
    return () => {
      for (const name of channelNames) unsubscribe(name, adapter.onServer);
      adapter.disconnect();
    };
  });
}

/** How often requests are looked at again whose response is over while an agent or tool of theirs still runs. */
const settleMs = 5000;

class HttpAdapter {
  readonly #from: () => readonly SessionSource[];
  readonly #refuses: () => boolean;
  readonly #queues: SendQueues;
  readonly #bodies = new BodySessions((...given) => this.#replace(...given));
  readonly #restore = new Map<object, () => void>();
  /** Scopes of answered requests that have work inside. */
  readonly #busy = new Set<Scope>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HttpOptions) {
    this.#from = options.from ?? (() => sessionDefaults.from);
    this.#refuses = options.refuses ?? (() => false);
    this.#queues = new SendQueues(options.sendQueueBytes ?? (() => undefined));
  }

  readonly onServer = (message: unknown): void => {
    const { server, socket } = message as { server?: object; socket?: { server?: object } };
    const given = server ?? socket?.server;
    if (given === undefined || given === null || !servesHttp(given)) return;
    const proto: unknown = Object.getPrototypeOf(given);
    if (typeof proto === 'object' && proto !== null && !this.#restore.has(proto))
      this.#hook(proto as { emit: Emit });
  };

  disconnect(): void {
    for (const restore of this.#restore.values()) restore();
    this.#restore.clear();
    clearInterval(this.#timer);
    this.#queues.stop();
    this.#bodies.stop();
    for (const scope of this.#busy) void scope.close();
  }

  #hook(proto: { emit: Emit }): void {
    const original = proto.emit;
    const queues = this.#queues;
    const take = (...given: Parameters<HttpAdapter['take']>): boolean => this.take(...given);
    const emit: Emit = function (event, ...args) {
      if (event !== 'request' && event !== 'upgrade') return original.call(this, event, ...args);
      const [request, response] = args;
      // A class between the program's server and that of Node.js may have an `emit` that is hooked, too.
      if (typeof request !== 'object' || request === null || queues.has(response))
        return original.call(this, event, ...args);
      return take(event, request as BodyRequest, response as Response, () =>
        original.call(this, event, ...args),
      );
    };
    this.#replace(proto, 'emit', emit);
  }

  /** Puts a method of ours into a class, and back when the adapter is disconnected. Whoever wrapped ours in the meantime keeps it. */
  #replace(holder: object, method: string, value: unknown): void {
    const isOwn = Object.hasOwn(holder, method);
    const original: unknown = Reflect.get(holder, method);
    Object.defineProperty(holder, method, { value, writable: true, configurable: true, enumerable: false });
    this.#restore.set(holder, () => {
      if (Reflect.get(holder, method) !== value) return;
      if (isOwn) Reflect.set(holder, method, original);
      else Reflect.deleteProperty(holder, method);
    });
  }

  /** Runs the listeners of a request, or of a connection that becomes a WebSocket, in its scope. What goes wrong on our side leaves it as it is. */
  take(
    event: 'request' | 'upgrade',
    request: BodyRequest,
    connection: Response,
    serve: () => boolean,
  ): boolean {
    let scope: Scope;
    try {
      const sources = this.#from();
      const id = sessionOf(request, sources);
      if (event === 'request') {
        const refusal = this.#refusal(request, id !== undefined && sessions().get(id) !== undefined);
        if (refusal !== undefined) return refuse(request, connection, refusal);
      }
      const session = id === undefined ? undefined : sessions().enter(id);
      const kind = event === 'request' ? 'request' : 'connection';
      scope = openEntry(session ?? processScope(), kind, nameOf(request));
      let lease = session?.lease();
      this.#queues.add(connection, scope);
      connection.on('close', () => {
        this.#queues.delete(connection);
        if (session === undefined) this.#bodies.delete(request);
        lease?.release();
        this.#end(scope);
      });
      if (session === undefined)
        this.#bodies.watch(request, sources, (found) => {
          const late = sessions().enter(found);
          lease = late.lease();
          putInto(scope, late);
        });
    } catch {
      return serve();
    }
    return scope.run(serve);
  }

  #refusal({ method = 'GET' }: BodyRequest, isKnown: boolean): AdmitError | undefined {
    if (looking.has(method) || !this.#refuses()) return undefined;
    try {
      admit('session', isKnown ? { continues: 'session' } : undefined).release();
      return undefined;
    } catch (error) {
      return isAdmitError(error) ? error : undefined;
    }
  }

  /** Ends the scope of a request, later if an agent or tool that it began goes on in the background. */
  #end(scope: Scope): void {
    if (scope.children().length === 0) void scope.close('response closed');
    else {
      this.#busy.add(scope);
      this.#timer ??= setInterval(() => this.#settle(), settleMs).unref();
    }
  }

  #settle(): void {
    for (const scope of this.#busy) {
      if (scope.children().length > 0) continue;
      this.#busy.delete(scope);
      void scope.close('response closed');
    }
    if (this.#busy.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Servers of HTTP and HTTPS have that property; their classes share nothing but the one for TCP. HTTP/2 shows by its name only. */
function servesHttp(server: object): boolean {
  return (
    Object.hasOwn(server, 'keepAliveTimeout') || /^Http2(?:Secure)?Server$/.test(server.constructor.name)
  );
}

function refuse({ httpVersionMajor = 1 }: BodyRequest, response: Response, error: AdmitError): boolean {
  // HTTP/2 has no such header: its connection serves other requests.
  const ends = httpVersionMajor < 2 ? { connection: 'close' } : {};
  response.writeHead(error.statusCode, { ...error.headers, ...ends });
  response.end(JSON.stringify(error.problem));
  return true;
}

/** Method and the first two parts of the path, as in `POST api.chat`; ids further down would make every name another one. */
function nameOf({ method = 'GET', url = '/' }: BodyRequest): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  const start = path.indexOf('/') + 1;
  if (start === 0 || start === path.length) return method;
  const middle = path.indexOf('/', start);
  if (middle < 0) return `${method} ${path.slice(start)}`;
  const last = path.indexOf('/', middle + 1);
  const [first, second] = [path.slice(start, middle), path.slice(middle + 1, last < 0 ? undefined : last)];
  return `${method} ${first}${first === '' || second === '' ? '' : '.'}${second}`.trim();
}
