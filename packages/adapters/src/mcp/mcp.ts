/**
 * An MCP server (`@modelcontextprotocol/sdk`): a session per transport, a lease per open response, a scope per tool call.
 *
 * Clients go away without DELETE, and then the transport, its server and the entry in the program's own map stay for ever. An idle session
 * closes its transport, which empties that map through `onclose`. That is done only when the policy names an idle time
 * (`sessions: { idle: 30m }`) or enforces: the next call of such a client is answered with 404, and it has to initialize again.
 */
import { currentScope } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { openIn, sessionAround, sessions } from '@plimsoll/core/adapter';
import { connectOnce, frameworks } from '../framework-slot.ts';
import { MethodPatches, prototypeOf } from '../method-patches.ts';
import { sessionName } from '../session-name.ts';
import { boundEvents } from './event-store.ts';

export interface McpOptions {
  /** Whether an idle session closes its transport; asked when the session begins. Default: it does. */
  readonly closesIdle?: () => boolean;
  /** Most events that an event store in memory keeps; asked at each event. Default: no bound. */
  readonly mostEvents?: () => number | undefined;
  /** Classes of the SDK, where the preload could not hook them. */
  readonly StreamableHTTPServerTransport?: unknown;
  readonly WebStandardStreamableHTTPServerTransport?: unknown;
  readonly Server?: unknown;
}

interface Transport {
  readonly sessionId?: string | undefined;
  close(): Promise<void>;
}

interface NodeResponse {
  once(event: 'close', listener: () => void): unknown;
  readonly closed?: boolean;
}

type HandleRequest = (
  this: Transport,
  request: unknown,
  response: NodeResponse,
  body?: unknown,
) => Promise<void>;
/** Of the transport for Hono, Deno and workers, and of the one inside each transport for Node.js since 1.24. */
type HandleWebRequest = (this: Transport, request: Request, options?: unknown) => Promise<Response>;
type Handler = (request: { readonly params?: { readonly name?: unknown } }, extra: unknown) => unknown;
type Connect = (this: object, transport: Transport) => Promise<void>;
type SetHandler = (this: unknown, schema: unknown, handler: Handler) => unknown;

/** Connects the adapter. Calling it again does nothing; the function that it returns disconnects. */
export function plimsoll(options: McpOptions = {}): () => void {
  return connectOnce('mcp', () => {
    const adapter = new McpAdapter(
      options.closesIdle ?? (() => true),
      options.mostEvents ?? (() => undefined),
    );
    const ends = [
      frameworks().patch('mcp.StreamableHTTPServerTransport', (value) => adapter.transport(value)),
      frameworks().patch('mcp.WebStandardStreamableHTTPServerTransport', (value) =>
        adapter.webTransport(value),
      ),
      frameworks().patch('mcp.Protocol', (value) => adapter.protocol(value)),
    ];
    if (options.StreamableHTTPServerTransport !== undefined)
      adapter.transport(options.StreamableHTTPServerTransport);
    if (options.WebStandardStreamableHTTPServerTransport !== undefined)
      adapter.webTransport(options.WebStandardStreamableHTTPServerTransport);
    if (options.Server !== undefined) adapter.protocol(Object.getPrototypeOf(options.Server));
    return () => {
      for (const end of ends) end();
      adapter.disconnect();
    };
  });
}

/**
 * What a call over HTTP keeps beside its session while it runs: the request and response of Node.js and of the web, streams between them and
 * suspended functions, which no walk from an object finds. Measured with version 1.32.2.
 */
const runningBytes = 50_000;

interface Session {
  readonly name: string;
  readonly scope: Scope;
  readonly release: () => void;
}

class McpAdapter {
  readonly #closesIdle: () => boolean;
  readonly #mostEvents: () => number | undefined;
  readonly #sessions = new WeakMap<Transport, Session>();
  /** The transport for Node.js that a web transport is inside of. Its session is that of the outer one. */
  readonly #outer = new WeakMap<object, Transport>();
  /** The server behind each transport; a transport refers to it by closures only. */
  readonly #servers = new WeakMap<Transport, object>();
  readonly #patches = new MethodPatches('mcp');

  constructor(closesIdle: () => boolean, mostEvents: () => number | undefined) {
    this.#closesIdle = closesIdle;
    this.#mostEvents = mostEvents;
  }

  /** Puts the methods of the framework back. */
  disconnect(): void {
    this.#patches.restore();
  }

  transport(given: unknown): void {
    const proto = prototypeOf(given);
    this.#patches.replace<HandleRequest>(proto, 'handleRequest', (original) => this.#handling(original));
    this.#patches.replace<Transport['close']>(proto, 'close', (original) => this.#closing(original));
  }

  webTransport(given: unknown): void {
    const proto = prototypeOf(given);
    this.#patches.replace<HandleWebRequest>(proto, 'handleRequest', (original) =>
      this.#handlingWeb(original),
    );
    // A client's DELETE closes the inner transport only.
    this.#patches.replace<Transport['close']>(proto, 'close', (original) => this.#closing(original));
  }

  protocol(given: unknown): void {
    const proto = prototypeOf(given);
    const servers = this.#servers;
    this.#patches.replace<SetHandler>(proto, 'setRequestHandler', setting);
    this.#patches.replace<Connect>(
      proto,
      'connect',
      (original) =>
        function (transport) {
          servers.set(transport, this);
          return original.call(this, transport);
        },
    );
  }

  #handling(original: HandleRequest): HandleRequest {
    const sessionOf = (transport: Transport): Session | undefined => this.#sessionOf(transport);
    const adopt = (transport: Transport): Session | undefined => this.#adopt(transport);
    const outer = this.#outer;
    return async function (request, response, body) {
      const { _webStandardTransport: inner } = this as { _webStandardTransport?: object };
      if (inner !== undefined) outer.set(inner, this);
      const known = sessionOf(this);
      // The first request of a session makes its id, so it runs in the scope of the HTTP request.
      if (known === undefined) {
        await original.call(this, request, response, body);
        adopt(this);
        return;
      }
      const lease = known.scope.lease();
      response.once('close', () => lease.release());
      await scopeOf(known).run(() => original.call(this, request, response, body));
    };
  }

  #handlingWeb(original: HandleWebRequest): HandleWebRequest {
    const sessionOf = (transport: Transport): Session | undefined => this.#sessionOf(transport);
    const adopt = (transport: Transport): Session | undefined => this.#adopt(transport);
    const outer = this.#outer;
    return async function (request, options) {
      if (outer.has(this)) return original.call(this, request, options);
      const known = sessionOf(this);
      if (known === undefined) {
        const response = await original.call(this, request, options);
        adopt(this);
        return response;
      }
      const lease = known.scope.lease();
      try {
        const response = await scopeOf(known).run(() => original.call(this, request, options));
        return whileRead(response, () => lease.release());
      } catch (error) {
        lease.release();
        throw error;
      }
    };
  }

  #closing(original: Transport['close']): Transport['close'] {
    const known = this.#sessions;
    const outer = this.#outer;
    return async function (this: Transport) {
      const owner = outer.get(this) ?? this;
      const session = known.get(owner);
      known.delete(owner);
      await original.call(this);
      if (session === undefined) return;
      session.release();
      sessions().close(session.name, 'transport closed');
    };
  }

  /** The session of a transport. One that was closed while its transport lives on begins again. */
  #sessionOf(transport: Transport): Session | undefined {
    const known = this.#sessions.get(transport);
    if (known === undefined || known.scope.state === 'open') return known;
    this.#sessions.delete(transport);
    return this.#adopt(transport);
  }

  #adopt(transport: Transport): Session | undefined {
    const id = transport.sessionId;
    if (id === undefined || this.#sessions.has(transport)) return undefined;
    const name = sessionName(id);
    const scope = sessions().enter(name);
    scope.root(transport);
    const server = this.#servers.get(transport);
    if (server !== undefined) scope.root(server);
    boundEvents(transport, this.#mostEvents);
    const session = { name, scope, release: this.#hold(scope, transport) };
    this.#sessions.set(transport, session);
    return session;
  }

  /** The session closes its transport when it is closed; or, where that is not allowed, stays open for as long as the transport. */
  #hold(scope: Scope, transport: Transport): () => void {
    if (!this.#closesIdle()) {
      const lease = scope.lease();
      return () => lease.release();
    }
    const close = (): Promise<void> => transport.close();
    scope.own(close, 'MCP transport');
    return () => void scope.disown(close);
  }
}

/** The scope that a request of a session runs in: that of the HTTP request when it is inside the session already. */
function scopeOf({ scope }: Session): Scope {
  const here = currentScope();
  return here.path.startsWith(`${scope.path}/`) ? here : scope;
}

/** Calls `done` when an event stream was read to its end or its reader left; at once for an answer in one piece. */
function whileRead(response: Response, done: () => void): Response {
  const { body, status, statusText, headers } = response;
  if (body === null || headers.get('content-type')?.includes('text/event-stream') !== true) {
    done();
    return response;
  }
  // `cancel` is missing in the types of Node.js.
  const ends = { flush: done, cancel: done } as ConstructorParameters<typeof TransformStream>[0];
  const watched = new TransformStream<Uint8Array, Uint8Array>(ends);
  return new Response(body.pipeThrough(watched), { status, statusText, headers });
}

/** Runs the handler of `tools/call` in a scope of the tool. */
function setting(original: SetHandler): SetHandler {
  return function (schema, handler) {
    if (methodOf(schema) !== 'tools/call' || typeof handler !== 'function')
      return original.call(this, schema, handler);
    const scoped: Handler = async (request, extra) => {
      const { name } = request.params ?? {};
      using tool = openIn(undefined, 'tool', typeof name === 'string' ? name : 'tool');
      if (sessionAround(tool) !== undefined) tool.charge(runningBytes);
      return await tool.run(() => handler(request, extra));
    };
    return original.call(this, schema, scoped);
  };
}

/** The method that a schema of zod 3 or 4 stands for. */
function methodOf(schema: unknown): unknown {
  const method = (schema as { shape?: { method?: Record<string, unknown> } } | undefined)?.shape?.method;
  const def = (method?.['def'] ?? method?.['_def']) as
    | { value?: unknown; values?: readonly unknown[] }
    | undefined;
  return method?.['value'] ?? def?.value ?? def?.values?.[0];
}
