// A chat server on Fastify that sends its answer as an event stream. It does not know Plimsoll.
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';

const words = 'Plimsoll marks how deep a ship may lie in the water.'.split(' ');
const turns = new Map();
const app = Fastify();

app.post('/chat', async (request, reply) => {
  const { threadId = 'default' } = request.body ?? {};
  turns.set(threadId, (turns.get(threadId) ?? 0) + 1);
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const word of words) {
    if (reply.raw.destroyed) return;
    reply.raw.write(`data: ${word}\n\n`);
    await sleep(200);
  }
  reply.raw.end(`data: turn ${turns.get(threadId)}\n\n`);
});

const address = await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });
console.log(`${address}/chat`);
