/** The thread of the ledger: reads requests from its port, writes, answers, and does upkeep when it has nothing to write. */
import { parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { Request, WriterStart } from './protocol.ts';
import { failed, Writer } from './writer.ts';

const port = parentPort as MessagePort;
const start = workerData as WriterStart;

try {
  const writer = new Writer(start);
  port.postMessage(writer.hello());
  let next = setTimeout(upkeep, start.settings.upkeepMs);
  port.on('message', (request: Request) => {
    port.postMessage(writer.handle(request));
    if (request.type !== 'close') return;
    clearTimeout(next);
    port.close();
  });
  function upkeep(): void {
    const { more, failure } = writer.upkeep();
    if (failure !== undefined) port.postMessage(failure);
    next = setTimeout(upkeep, more ? 5 : start.settings.upkeepMs);
  }
} catch (error) {
  port.postMessage(failed('open', error));
  port.close();
}
