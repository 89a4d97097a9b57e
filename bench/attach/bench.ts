import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { addressOf, startNpmServer } from '../../test/integration/npm-server.ts';
import { row } from '../row.ts';
import type { Benchmark } from '../row.ts';

const cli = resolve(import.meta.dirname, '../../packages/plimsoll/src/cli.ts');
const run = promisify(execFile);

/** What attaching leaves of the pace of a server from npm: the time of a request after `attach` has let go, beside the one before it came. */
const attach: Benchmark = async ({ quick, log }) => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-attach-bench-'));
  const server = startNpmServer(dir);
  try {
    const address = await addressOf(server);
    const requests = quick ? 200 : 1000;
    for (let i = 0; i < 3; i++) await requestMs(address, requests);
    const [before, after]: [number[], number[]] = [[], []];
    for (let i = 0; i < (quick ? 2 : 9); i++) {
      before.push(await requestMs(address, requests));
      log(`attach: ${i + 1}`);
      const looking = ['attach', String(server.pid), '--for', '1s', '--snapshot', '--json', '--force'];
      await run(process.execPath, ['--conditions=plimsoll-source', cli, ...looking]);
      after.push(await requestMs(address, requests));
    }
    return [
      row({
        metric: 'a request after attach has let go',
        unit: 'ms',
        samples: after,
        peer: { name: 'before it came', samples: before },
        goal: { atMost: 1.2 },
      }),
    ];
  } finally {
    server.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  }
};

export default attach;

/** Mean time of so many requests on end. */
async function requestMs(address: string, count: number): Promise<number> {
  const started = performance.now();
  for (let i = 0; i < count; i++) await (await fetch(address)).text();
  return (performance.now() - started) / count;
}
