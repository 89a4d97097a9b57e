/** Nothing acknowledged is lost in the folders of forked processes that died. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settle } from '@plimsoll/ledger/internal/options';
import { PendingJournal } from '@plimsoll/ledger/internal/journal';
import { adoptDead } from '@plimsoll/ledger/internal/worker/adopt';
import { connect } from '@plimsoll/ledger/internal/postgres/client';
import type { PgClient } from '@plimsoll/ledger/internal/postgres/client';
import { migrate } from '@plimsoll/ledger/internal/postgres/migrate';
import { FleetQueries } from '@plimsoll/ledger/internal/postgres/queries';
import { startPostgres } from '../../postgres/server.ts';
import type { PostgresServer } from '../../postgres/server.ts';
import { Pod } from './pod.ts';

/** Above the largest number that Linux gives, so no process has it. */
const nobody = 4_200_000_000;
let server: PostgresServer;
let url: string;
let client: PgClient;
let dir: string;

beforeAll(async () => {
  server = await startPostgres();
  url = await server.database();
  client = await connect(url);
  await migrate(client);
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-adopt-'));
});
afterAll(async () => {
  await client.close();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

test('the next shipper beside them sends samples, entries and journals of dead forks, once', async () => {
  const folder = join(dir, `ledger-${nobody}`);
  const fork = new Pod({ url, dir: folder, host: 'fork' });
  for (let i = 0; i < 5; i++) {
    fork.sample(1_000_000 + i);
    fork.audit('level', { i });
  }
  const { run } = fork;
  await fork.die();
  // Acknowledged when the writer was gone already.
  const journal = new PendingJournal(folder, 'audit', process.pid, run);
  journal.append([{ run, n: 6, at: Date.now(), kind: 'level', scope: 'process', body: '{"i":5}' }]);
  await journal.sync();
  mkdirSync(join(dir, `ledger-${process.pid}`));
  const identity = { service: 'shop', release: '1', host: 'heir', pid: process.pid, node: '' };
  const settings = settle({ dir: join(dir, 'ledger'), fleet: { url, identity, deadlineMs: 5000 } });
  // Another one is at it, until it dies.
  writeFileSync(join(folder, 'adopted-by'), String(process.ppid));
  expect(await adoptDead(settings)).toBe(0);
  writeFileSync(join(folder, 'adopted-by'), String(nobody));
  await server.kill();
  await expect(adoptDead(settings)).rejects.toThrow();
  await server.start();
  expect(await adoptDead(settings)).toBe(1);
  expect(existsSync(join(folder, 'adopted-by'))).toBe(false);
  expect(await adoptDead(settings)).toBe(0);
  const fleet = new FleetQueries(client);
  const found = await fleet.processNamed('fork');
  expect(found).toMatchObject({ state: 'ended', samples: 5 * 4, outcome: 'lost: it ended without a word' });
  const entries = await fleet.entries({ processId: found?.id ?? '', limit: 100 });
  expect(entries.map(({ body }) => Number(body['i'])).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
});
