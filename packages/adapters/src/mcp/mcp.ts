/**
 * An MCP server (`@modelcontextprotocol/sdk`): a session per transport, a lease per open response, a scope per tool call.
 *
 * Clients go away without DELETE, and then the transport, its server and the entry in the program's own map stay for ever. An idle session
 * closes its transport, which empties that map through `onclose`. That is done only when the policy names an idle time
 * (`sessions: { idle: 30m }`) or enforces: the next call of such a client is answered with 404, and it has to initialize again.
 */
import { currentScope } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { openIn, sessions } from '@plimsoll/core/adapter';
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
  readonly Server?: unknown;
}

interface Transport {
  readonly sessionId?: string | undefined;
  close(): Promise<void>;
}

interface Response {
  once(event: 'close', listener: () => void): unknown;
  readonly closed?: boolean;
}

type HandleRequest = (this: Transport, request: unknown, response: Response, body?: unknown) => Promise<void>;
type Handler = (request: { readonly params?: { readonly name?: unknown } }, extra: unknown) => unknown;
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
      frameworks().patch('mcp.Protocol', (value) => adapter.protocol(value)),
    ];
    if (options.StreamableHTTPServerTransport !== undefined)
      adapter.transport(options.StreamableHTTPServerTransport);
    if (options.Server !== undefined) adapter.protocol(Object.getPrototypeOf(options.Server));
    return () => {
      for (const end of ends) end();
      adapter.disconnect();
    };
  });
}

interface Session {
  readonly name: string;
  readonly scope: Scope;
  readonly release: () => void;
}

class McpAdapter {
  readonly #closesIdle: () => boolean;
  readonly #mostEvents: () => number | undefined;
  readonly #sessions = new WeakMap<Transport, Session>();
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

  protocol(given: unknown): void {
    this.#patches.replace<SetHandler>(prototypeOf(given), 'setRequestHandler', setting);
  }

  #handling(original: HandleRequest): HandleRequest {
    const sessionOf = (transport: Transport): Session | undefined => this.#sessionOf(transport);
    const adopt = (transport: Transport): Session | undefined => this.#adopt(transport);
    return async function (request, response, body) {
      const known = sessionOf(this);
      // The first request of a session makes its id, so it runs in the scope of the HTTP request.
      if (known === undefined) {
        await original.call(this, request, response, body);
        adopt(this);
        return;
      }
      const lease = known.scope.lease();
      response.once('close', () => lease.release());
      const here = currentScope();
      const scope = here.path.startsWith(`${known.scope.path}/`) ? here : known.scope;
      await scope.run(() => original.call(this, request, response, body));
    };
  }

  #closing(original: Transport['close']): Transport['close'] {
    const known = this.#sessions;
    return async function (this: Transport) {
      const session = known.get(this);
      known.delete(this);
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

/** Runs the handler of `tools/call` in a scope of the tool. */
function setting(original: SetHandler): SetHandler {
  return function (schema, handler) {
    if (methodOf(schema) !== 'tools/call' || typeof handler !== 'function')
      return original.call(this, schema, handler);
    const scoped: Handler = async (request, extra) => {
      const { name } = request.params ?? {};
      await using tool = openIn(undefined, 'tool', typeof name === 'string' ? name : 'tool');
      return await tool.run(async () => handler(request, extra));
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
