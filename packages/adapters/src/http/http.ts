/**
 * Every HTTP request is a scope, inside the session that the request names. Node.js tells of each request by the channel
 * `http.server.request.start` just before the server emits it; there the server's `emit` is replaced once. A program that has no HTTP
 * server loads nothing for this.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { admit, isAdmitError, processScope } from '@plimsoll/core';
import type { AdmitError, Scope } from '@plimsoll/core';
import { openIn } from '@plimsoll/core/internal/adapter/bind-scope';
import { putInto, sessions } from '@plimsoll/core/internal/adapter/session-book';
import type { SessionSource } from '@plimsoll/govern/internal/policy/sections/sessions';
import { sessionDefaults } from '@plimsoll/govern/internal/policy/sections/sessions';
import { connectOnce } from '../framework-slot.ts';
import { sessionInBody, sessionOf } from './session-id.ts';
import type { RequestHead } from './session-id.ts';

export interface HttpOptions {
  /** Where the id of a session is; asked for every request. Default: the places that a policy without `sessions` has. */
  readonly from?: () => readonly SessionSource[];
  /** Whether a request that begins work may be refused with 503 while memory is short. Default: no. */
  readonly refuses?: () => boolean;
}

interface Request extends RequestHead {
  readonly method?: string | undefined;
}

interface Response {
  readonly headersSent: boolean;
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  end(text: string): unknown;
  once(event: 'close', listener: () => void): unknown;
}

type Emit = (this: object, event: string, ...args: unknown[]) => boolean;

const channelName = 'http.server.request.start';

/** Requests that only look: refusing them would hide health checks and pages from an operator. */
const looking = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Connects the adapter. Calling it again does nothing; the function that it returns disconnects. */
export function plimsoll(options: HttpOptions = {}): () => void {
  return connectOnce('http', () => {
    const adapter = new HttpAdapter(options);
    subscribe(channelName, adapter.onServer);
    return () => {
      unsubscribe(channelName, adapter.onServer);
      adapter.disconnect();
    };
  });
}

/** How often requests are looked at again whose response is over while an agent or tool of theirs still runs. */
const settleMs = 5000;

class HttpAdapter {
  readonly #from: () => readonly SessionSource[];
  readonly #refuses: () => boolean;
  readonly #restore = new Map<object, () => void>();
  readonly #seen = new WeakSet<object>();
  /** Scopes of answered requests that have work inside. */
  readonly #busy = new Set<Scope>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ from = () => sessionDefaults.from, refuses = () => false }: HttpOptions) {
    this.#from = from;
    this.#refuses = refuses;
  }

  readonly onServer = (message: unknown): void => {
    const { server } = message as { server?: object };
    const proto: unknown = server === undefined ? undefined : Object.getPrototypeOf(server);
    if (typeof proto === 'object' && proto !== null && !this.#restore.has(proto))
      this.#hook(proto as { emit: Emit });
  };

  disconnect(): void {
    for (const restore of this.#restore.values()) restore();
    this.#restore.clear();
    clearInterval(this.#timer);
    for (const scope of this.#busy) void scope.close();
  }

  #hook(proto: { emit: Emit }): void {
    const isOwn = Object.hasOwn(proto, 'emit');
    const original = proto.emit;
    const seen = this.#seen;
    const take = (request: Request, response: Response, serve: () => boolean): boolean =>
      this.#take(request, response, serve);
    const emit: Emit = function (event, ...args) {
      const [request, response] = args;
      if (event !== 'request' || typeof request !== 'object' || request === null || seen.has(request))
        return original.call(this, event, ...args);
      seen.add(request);
      return take(request as Request, response as Response, () => original.call(this, event, ...args));
    };
    Object.defineProperty(proto, 'emit', {
      value: emit,
      writable: true,
      configurable: true,
      enumerable: false,
    });
    this.#restore.set(proto, () => {
      if (proto.emit !== emit) return;
      if (isOwn) proto.emit = original;
      else delete (proto as { emit?: Emit }).emit;
    });
  }

  /** Runs the listeners of a request in its scope. What goes wrong on our side leaves the request as it is. */
  #take(request: Request, response: Response, serve: () => boolean): boolean {
    let scope: Scope;
    try {
      const sources = this.#from();
      const id = sessionOf(request, sources);
      const known = id === undefined ? undefined : sessions().get(id);
      const refusal = this.#refusal(request, known !== undefined);
      if (refusal !== undefined) return refuse(response, refusal);
      const session = id === undefined ? undefined : sessions().enter(id);
      scope = openIn(session ?? processScope(), 'request', nameOf(request));
      const lease = session?.lease();
      response.once('close', () => {
        lease?.release();
        this.#end(scope);
      });
      if (id === undefined && sources.some(({ at }) => at === 'body'))
        this.#watchBody(request, scope, sources);
    } catch {
      return serve();
    }
    return scope.run(serve);
  }

  #refusal({ method = 'GET' }: Request, isKnown: boolean): AdmitError | undefined {
    if (looking.has(method) || !this.#refuses()) return undefined;
    try {
      admit('session', isKnown ? { continues: 'session' } : undefined).release();
      return undefined;
    } catch (error) {
      return isAdmitError(error) ? error : undefined;
    }
  }

  /** A body parser sets `request.body`; the session found there takes the agents that are opened from then on. */
  #watchBody(request: object, scope: Scope, sources: readonly SessionSource[]): void {
    let body: unknown;
    Object.defineProperty(request, 'body', {
      configurable: true,
      enumerable: true,
      get: () => body,
      set: (value: unknown) => {
        body = value;
        const id = sessionInBody(value, sources);
        if (id !== undefined) putInto(scope, sessions().enter(id));
      },
    });
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

function refuse(response: Response, error: AdmitError): boolean {
  response.writeHead(error.statusCode, { ...error.headers, connection: 'close' });
  response.end(JSON.stringify(error.problem));
  return true;
}

/** Method and the first two parts of the path, as in `POST api.chat`; ids further down would make every name another one. */
function nameOf({ method = 'GET', url = '/' }: Request): string {
  const [, ...parts] = (url.split('?', 1)[0] as string).split('/', 3);
  return [method, parts.filter((part) => part !== '').join('.')].join(' ').trim();
}
