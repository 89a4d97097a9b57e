// Runs by tsx: an enum needs a compiler, not only the removal of types.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

enum Answer {
  Yes = 'yes',
}

const server = createServer((_request, response) => void response.end(Answer.Yes)).listen(0);
await once(server, 'listening');
const { port } = server.address() as { port: number };
// Half a second of requests: the host is loaded once the program runs.
for (let i = 0; i < 10; i += 1) {
  console.log(await (await fetch(`http://127.0.0.1:${port}`)).text());
  await sleep(50);
}
server.close();
process.exit(5);
