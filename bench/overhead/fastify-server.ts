/** The example's handler mounted in Fastify, with `--under-pressure` behind that plugin's check; both read the body themselves. */
import Fastify from 'fastify';
import underPressure from '@fastify/under-pressure';
import { AgentService } from '../../examples/agent-server/src/agent-service.ts';
import { parseOptions } from '../../examples/agent-server/src/options.ts';
import { scopeOpener } from '../../examples/agent-server/src/scope/scopes.ts';

const args = process.argv.slice(2);
const options = parseOptions(args.filter((arg) => arg !== '--under-pressure'));
const service = new AgentService({ ...options, openScope: scopeOpener(true) });
const app = Fastify();
if (args.includes('--under-pressure')) {
  // Its documented use: sample every second, refuse above the bounds. Not the bound on loop delay: without a sample, as after a
  // standstill between two blocks, it takes the delay for infinite and refuses everything.
  await app.register(underPressure, {
    maxHeapUsedBytes: 8 * 1024 ** 3,
    maxRssBytes: 8 * 1024 ** 3,
    maxEventLoopUtilization: 2,
  });
}
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', (_request, _payload, done) => done(null));
app.all('/*', (request, reply) => {
  reply.hijack();
  service.handle(request.raw, reply.raw);
});
const address = await app.listen({ port: options.port ?? 0, host: '127.0.0.1' });
process.stdout.write(`agent server on ${address}\n`);
process.once('SIGTERM', () => process.exit());
