// A provider of models: reads a conversation and streams 80 events.
import { createServer } from 'node:http';

const events = Array.from(
  { length: 80 },
  (_, i) => `data: ${JSON.stringify({ id: 'chat-1', index: i, delta: `word ${i} ` })}\n\n`,
);

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) response.write(event);
    response.end();
  });
}).listen(0, '127.0.0.1', () => process.send(server.address().port));
process.once('disconnect', () => process.exit(0));
