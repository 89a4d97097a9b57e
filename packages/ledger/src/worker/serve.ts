import type { MessagePort } from 'node:worker_threads';
import type { WorkerRequest, WriterStart } from './protocol.ts';
import { failed, Writer } from './writer.ts';

/** Serves one ledger on a port: answers requests, does upkeep in between, ends with the close request. */
export function serve(port: MessagePort, start: WriterStart): void {
  let writer: Writer;
  try {
    writer = new Writer(start);
    port.postMessage(writer.hello());
  } catch (error) {
    port.postMessage(failed('open', error));
    port.close();
    return;
  }
  const upkeep = (): void => {
    const { more, replies } = writer.upkeep();
    for (const reply of replies) port.postMessage(reply);
    next = setTimeout(upkeep, more ? 5 : start.settings.upkeepMs);
  };
  let next = setTimeout(upkeep, start.settings.upkeepMs);
  port.on('message', (request: WorkerRequest) => {
    port.postMessage(writer.handle(request));
    if (request.type !== 'close') return;
    clearTimeout(next);
    port.close();
  });
}
