/** The example's handler behind a guard that users put in front of a server: `node fronted-server.ts GUARD HEAP_BYTES [flags of the example]`. */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AgentService } from '../../examples/agent-server/src/agent-service.ts';
import { parseOptions } from '../../examples/agent-server/src/options.ts';
import { scopeOpener } from '../../examples/agent-server/src/scope/scopes.ts';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const [guard = '', heapBytes = '0', ...flags] = process.argv.slice(2);
const options = parseOptions(flags);
const service = new AgentService({ ...options, openScope: scopeOpener(true) });
const guards: Readonly<Record<string, (handle: Handle, maxHeapUsedBytes: number) => Promise<void>>> = {
  'under-pressure': underPressure,
  'overload-protection': overloadProtection,
};
await guards[guard]?.(service.handle, Number(heapBytes));
process.stdout.write(`agent server on http://127.0.0.1:${options.port}\n`);
process.once('SIGTERM', () => process.exit());

/** As its page shows it: bounds on loop delay and heap, everything else of the server unchanged. */
async function underPressure(handle: Handle, maxHeapUsedBytes: number): Promise<void> {
  const { default: Fastify } = await import('fastify');
  const { default: plugin } = await import('@fastify/under-pressure');
  const app = Fastify();
  await app.register(plugin, { maxEventLoopDelay: 1000, maxHeapUsedBytes, retryAfter: 1 });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.all('/*', (request, reply) => {
    reply.hijack();
    handle(request.raw, reply.raw);
  });
  await app.listen({ port: options.port ?? 0, host: '127.0.0.1' });
}

/** As its page shows it for `http`; the loop bound is raised from 42 ms, at which a busy machine alone would trip it. */
async function overloadProtection(handle: Handle, maxHeapUsedBytes: number): Promise<void> {
  const { default: protect } = await import('overload-protection');
  const isOverloaded = protect('http', {
    production: true,
    clientRetrySecs: 1,
    maxEventLoopDelay: 1000,
    maxHeapUsedBytes,
  });
  const server = createServer((request, response) => {
    if (isOverloaded(request, response) === true) return;
    handle(request, response);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(options.port ?? 0, '127.0.0.1', resolve);
  await promise;
}
