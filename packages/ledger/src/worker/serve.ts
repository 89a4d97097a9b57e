import type { MessagePort } from 'node:worker_threads';
import type { Shipper } from '../postgres/shipper.ts';
import type { WorkerReply, WorkerRequest, WriterStart } from './protocol.ts';
import { failed, Writer } from './writer.ts';

/**
 * Serves one ledger on a port. It answers requests, does upkeep in between, ships to the fleet's database and ends with the close request.
 */
export function serve(port: MessagePort, start: WriterStart): void {
  const post = (reply: WorkerReply): void => port.postMessage(reply);
  let writer: Writer;
  try {
    writer = new Writer(start);
    post(writer.hello());
  } catch (error) {
    post(failed('open', error));
    port.close();
    return;
  }
  const upkeep = (): void => {
    const { more, replies } = writer.upkeep();
    for (const reply of replies) post(reply);
    next = setTimeout(upkeep, more ? 5 : start.settings.upkeepMs);
  };
  let next = setTimeout(upkeep, start.settings.upkeepMs);
  const fleet = shipperOf(writer, start, post);
  const end = (): void => {
    post(writer.handle({ type: 'close' }));
    port.close();
  };
  port.on('message', (request: WorkerRequest) => {
    if (request.type === 'news') {
      void fleet?.then((shipper) => shipper?.tell(request.news));
    } else if (request.type === 'close') {
      clearTimeout(next);
      if (fleet === undefined) end();
      else void fleet.then((shipper) => shipper?.close()).finally(end);
    } else {
      post(writer.handle(request));
      if (request.type !== 'samples') void fleet?.then((shipper) => shipper?.wake());
    }
  });
}

/** The shipper of a ledger with a fleet. It is loaded on demand. */
function shipperOf(
  writer: Writer,
  { settings, run }: WriterStart,
  post: (reply: WorkerReply) => void,
): Promise<Shipper | undefined> | undefined {
  const { spool } = writer;
  const { fleet } = settings;
  if (spool === undefined || fleet === undefined) return undefined;
  return Promise.all([import('../postgres/shipper.ts'), import('./adopt.ts')]).then(
    ([{ Shipper }, { adoptDead }]) => {
      const shipper = new Shipper({
        settings: fleet,
        run,
        spool,
        audit: () => writer.audit,
        changed: (health) => post({ type: 'fleet', health }),
        findings: (findings) => post({ type: 'findings', findings }),
        vote: (votes) => post({ type: 'votes', votes }),
        rest: (over) => adoptDead(settings, over),
      });
      shipper.start();
      return shipper;
    },
    (error: unknown) => {
      post(failed('fleet', error));
      return undefined;
    },
  );
}
