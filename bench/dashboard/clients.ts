/** Holds pages open: each message says how many read and how many do not, and is answered when it is so. */
import { get } from 'node:http';
import type { ClientRequest } from 'node:http';

/** How many pages are to be open. */
export interface Wanted {
  readonly address: string;
  readonly reading: number;
  /** Connected, and never reading again. */
  readonly stalled: number;
}

let open: ClientRequest[] = [];

function page(address: string, reads: boolean): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const request = get(`${address}/api/stream`, { agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`status ${response.statusCode}`));
      if (reads) response.resume();
      else response.pause();
      response.on('error', () => undefined);
      return resolve(request);
    });
    request.on('error', reject);
  });
}

async function set({ address, reading, stalled }: Wanted): Promise<void> {
  for (const request of open) request.on('error', () => undefined).destroy();
  open = await Promise.all(Array.from({ length: reading + stalled }, (_, i) => page(address, i < reading)));
}

process.on('message', (wanted: Wanted) => {
  void set(wanted).then(() => process.send?.('set'));
});
process.on('disconnect', () => process.exit());
