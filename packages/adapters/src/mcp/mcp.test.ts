import { EventEmitter } from 'node:events';
import { currentScope, processScope } from '@plimsoll/core';
import { sessions } from '@plimsoll/core/adapter';
import { roster } from '@plimsoll/core/internal/scope/index';
import { afterEach, expect, test } from 'vitest';
import { frameworks } from '../framework-slot.ts';
import { sessionName } from '../session-name.ts';
import { plimsoll } from './mcp.ts';

const ends: (() => void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await processScope().close();
});

/** The transport of the SDK as far as the adapter hooks it; the real one is driven in test/frameworks. */
class StreamableHTTPServerTransport {
  sessionId: string | undefined;
  readonly seen: string[] = [];
  isClosed = false;
  onclose: (() => void) | undefined;
  readonly _eventStore: {
    readonly events: Map<string, unknown>;
    storeEvent(stream: string): Promise<string>;
  } = {
    events: new Map(),
    async storeEvent(stream) {
      const id = `${stream}-${this.events.size}-${Math.random()}`;
      this.events.set(id, {});
      return id;
    },
  };
  async handleRequest(_request: unknown, _response: unknown, _body?: unknown): Promise<void> {
    this.sessionId ??= 'secret-id';
    this.seen.push(currentScope().path);
  }
  async close(): Promise<void> {
    this.isClosed = true;
    this.onclose?.();
  }
}
class Protocol {
  readonly handlers: ((request: object, extra: unknown) => unknown)[] = [];
  setRequestHandler(_schema: unknown, handler: (request: object, extra: unknown) => unknown): void {
    this.handlers.push(handler);
  }
  async connect(_transport: object): Promise<void> {}
}
frameworks().loaded('mcp.StreamableHTTPServerTransport', StreamableHTTPServerTransport);
frameworks().loaded('mcp.Protocol', Protocol);

const name = sessionName('secret-id');

test('a session begins with the first answer, holds a lease per open response, and its idle end closes the transport', async () => {
  ends.push(plimsoll({ mostEvents: () => 2 }));
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const transport = new StreamableHTTPServerTransport();
  const server = new Protocol();
  await server.connect(transport);
  transport.onclose = () => void transports.delete('secret-id');
  await transport.handleRequest({}, new EventEmitter());
  expect([...roster.roots()].map(({ roots }) => [...roots])).toEqual([[transport, server]]);
  transports.set('secret-id', transport);
  const response = new EventEmitter();
  await transport.handleRequest({}, response);
  expect(transport.seen).toEqual(['process', `process/session:${name}`]);
  expect(JSON.stringify([...roster.open].map(({ path }) => path))).not.toContain('secret');
  const session = sessions().get(name);
  expect(session?.leases).toBe(1);
  response.emit('close');
  expect(session?.leases).toBe(0);
  for (let i = 0; i < 5; i++) await transport._eventStore.storeEvent('stream');
  expect(transport._eventStore.events.size).toBe(2);
  await session?.close('idle');
  expect([transport.isClosed, transports.size]).toEqual([true, 0]);
});

test('a transport that closes ends its session; where idle sessions are left alone, the transport holds it open', async () => {
  ends.push(plimsoll({ closesIdle: () => false }));
  const transport = new StreamableHTTPServerTransport();
  await transport.handleRequest({}, new EventEmitter());
  expect(sessions().get(name)?.leases).toBe(1);
  await transport.close();
  expect(sessions().get(name)).toBeUndefined();
  // One that lives on after its session was closed begins again.
  const second = new StreamableHTTPServerTransport();
  await second.handleRequest({}, new EventEmitter());
  await sessions().get(name)?.close();
  await second.handleRequest({}, new EventEmitter());
  expect(sessions().get(name)?.state).toBe('open');
  await second.close();
});

/** The transport for Hono and workers; in new versions there is one inside each transport for Node.js. */
class WebStandardStreamableHTTPServerTransport {
  sessionId: string | undefined;
  readonly seen: string[] = [];
  isClosed = false;
  readonly stream = new TransformStream<string, string>();
  async handleRequest(request: Request): Promise<Response> {
    this.sessionId ??= 'secret-id';
    this.seen.push(currentScope().path);
    if (request.method === 'GET')
      return new Response(this.stream.readable.pipeThrough(new TextEncoderStream()), {
        headers: { 'content-type': 'text/event-stream' },
      });
    return Response.json({ ok: true });
  }
  async close(): Promise<void> {
    this.isClosed = true;
  }
}
frameworks().loaded('mcp.WebStandardStreamableHTTPServerTransport', WebStandardStreamableHTTPServerTransport);

test('a web transport is a session, too: an event stream leases it until it is read or left', async () => {
  ends.push(plimsoll());
  const transport = new WebStandardStreamableHTTPServerTransport();
  const post = (): Request => new Request('http://host/mcp', { method: 'POST' });
  await transport.handleRequest(post());
  const session = sessions().get(name);
  expect(await (await transport.handleRequest(post())).json()).toEqual({ ok: true });
  expect([transport.seen[1], session?.leases]).toEqual([`process/session:${name}`, 0]);
  const stream = await transport.handleRequest(new Request('http://host/mcp'));
  expect(session?.leases).toBe(1);
  await stream.body?.cancel();
  expect(session?.leases).toBe(0);
  await transport.close();
  expect(sessions().get(name)).toBeUndefined();
});

test('the web transport inside of one for Node.js adds no second session, and its close ends the session', async () => {
  ends.push(plimsoll());
  const inner = new WebStandardStreamableHTTPServerTransport();
  const outer = Object.assign(new StreamableHTTPServerTransport(), { _webStandardTransport: inner });
  await outer.handleRequest({}, new EventEmitter());
  await inner.handleRequest(new Request('http://host/mcp', { method: 'POST' }));
  expect(inner.seen).toEqual(['process']);
  expect(sessions().get(name)?.state).toBe('open');
  await inner.close();
  expect(sessions().get(name)).toBeUndefined();
});

test('handlers of tools/call run in a scope of the tool, for schemas of zod 3 and 4; others do not', async () => {
  ends.push(plimsoll());
  const protocol = new Protocol();
  const path = (): string => currentScope().path;
  protocol.setRequestHandler({ shape: { method: { value: 'tools/call' } } }, path);
  protocol.setRequestHandler({ shape: { method: { def: { values: ['tools/call'] } } } }, path);
  protocol.setRequestHandler({ shape: { method: { _def: { value: 'tools/list' } } } }, path);
  const seen = await Promise.all(
    protocol.handlers.map(async (handle) => handle({ params: { name: 'search' } }, {})),
  );
  expect(seen).toEqual(['process/tool:search', 'process/tool:search', 'process']);
  expect(await protocol.handlers[0]?.({}, {})).toBe('process/tool:tool');
  expect(roster.count).toBe(1);
});

test('classes can be given by hand, and disconnecting puts them back', async () => {
  class Server extends Protocol {}
  class Transport extends StreamableHTTPServerTransport {}
  const { handleRequest } = StreamableHTTPServerTransport.prototype;
  const end = plimsoll({ StreamableHTTPServerTransport: Transport, Server });
  expect(plimsoll()).toBe(end);
  expect(Object.hasOwn(Transport.prototype, 'handleRequest')).toBe(true);
  end();
  expect(Object.hasOwn(Transport.prototype, 'handleRequest')).toBe(false);
  expect(StreamableHTTPServerTransport.prototype.handleRequest).toBe(handleRequest);
});
