import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ruleOf, policyWith } from '@plimsoll/govern/internal/approvals/desk.fixture';
import { HostApprovals } from '@plimsoll/host/internal/parts/approvals/host-approvals';
import { FleetLink } from '@plimsoll/host/internal/parts/history/fleet-link';
import { openLedger } from '@plimsoll/ledger';
import { connect } from '@plimsoll/ledger/internal/postgres/client';
import type { PgClient } from '@plimsoll/ledger/internal/postgres/client';
import { migrate, schemaVersion } from '@plimsoll/ledger/internal/postgres/migrate';
import { FleetQueries } from '@plimsoll/ledger/internal/postgres/queries';
import { TestIo } from '../../../packages/plimsoll/src/io.fixture.ts';
import { startPostgres } from '../../postgres/server.ts';
import type { PostgresServer } from '../../postgres/server.ts';
import { interleave } from './interleavings.ts';

let server: PostgresServer;
let url: string;
let client: PgClient;
let dir: string;

beforeAll(async () => {
  server = await startPostgres();
  url = await server.database();
  client = await connect(url, { connections: 4 });
  await migrate(client);
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-fleet-approvals-'));
});
afterAll(async () => {
  await client.close();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** A governed process as far as approvals and the fleet are concerned, with the real writer thread. */
class Asker {
  readonly ran: string[] = [];
  readonly ledger;
  readonly approvals: HostApprovals;
  readonly #policy;

  constructor(name: string, by: readonly string[], ttlMs = 120_000) {
    this.#policy = policyWith([ruleOf({ by, ttlMs })]);
    const identity = {
      service: 'shop',
      release: '1.4.2',
      host: name,
      pid: process.pid,
      node: process.version,
    };
    const link = new FleetLink({ url, identity, shipMs: 100 }, () => Promise.resolve(this.approvals.desk));
    this.ledger = openLedger({ dir: join(dir, name), fleet: link.options });
    this.approvals = new HostApprovals({
      policy: () => this.#policy,
      levelOf: () => 'critical',
      ledger: this.ledger,
      write: (entry) => void this.ledger.audit(entry).catch(() => undefined),
    });
  }

  ask(): string {
    const { revision, sha256 } = this.#policy;
    return this.approvals.desk.request({
      approval: 'ops',
      kind: 'action',
      action: 'scope.stop',
      scope: 'process/session:7',
      args: {},
      why: 'over its budget',
      evidence: { usedBytes: 7 },
      requestedBy: 'ladder.critical',
      policy: { revision, sha256 },
      isStillValid: () => true,
      run: (as) => void this.ran.push(as),
      runs: 'decision',
    }).id;
  }

  async close(): Promise<void> {
    this.approvals.close();
    await this.ledger.close();
  }
}

async function plimsoll(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const io = new TestIo(dir);
  io.env['PLIMSOLL_LEDGER_URL'] = url;
  const code = await io.plimsoll(...args);
  return { code, out: io.out, err: io.err };
}

test('an operator elsewhere decides by the command line, and the process acts on it', async () => {
  const one = new Asker('pod-a', ['owner']);
  const id = one.ask();
  const fleet = new FleetQueries(client);
  await vi.waitFor(async () => expect(await fleet.approvals({ state: 'open' })).toHaveLength(1));
  const { out } = await plimsoll('approvals', 'list', '--fleet');
  expect(out).toContain(`${id}-`);
  expect(out).toContain('pod-a: process/session:7');
  expect((await plimsoll('approvals', 'show', id, '--fleet')).out).toContain('over its budget');
  const said = await plimsoll('approvals', 'approve', id, '--fleet', '--comment', 'known', '--key', 'k');
  expect(said.out).toMatch(/^\w+-\w+ is approved\.\n$/);
  await vi.waitFor(() => expect(one.ran).toEqual(['user:plimsoll']));
  await vi.waitFor(async () => expect((await fleet.approvals())[0]).toMatchObject({ applied: 'approved' }));
  expect((await fleet.approvals())[0]).toMatchObject({
    state: 'approved',
    decidedBy: 'user:plimsoll',
    decidedFrom: expect.stringContaining('127.0.0.1') as string,
    comment: 'known',
  });
  const again = await plimsoll('approvals', 'approve', id, '--fleet', '--key', 'k');
  expect(again.out).toContain('Decided before; nothing changed.');
  expect((await plimsoll('approvals', 'deny', id, '--fleet')).err).toContain('PLM_APPROVAL_DECIDED');
  const [entry] = await fleet.entries({ kinds: ['approval'], limit: 3 });
  expect(JSON.stringify(entry?.body)).toMatch(/cli from .*127\.0\.0\.1/);
  expect((await plimsoll('ledger', 'verify', '--url')).out).toMatch(/entries in 1 chains, all are whole/);
  expect((await plimsoll('ledger', 'migrate')).out).toBe(`The database has version ${schemaVersion}.\n`);
  await one.close();
});

test('the deadline of the process holds without the database, and says no', async () => {
  const one = new Asker('pod-b', ['owner'], 1500);
  await vi.waitFor(() => expect(one.ledger.health.fleet?.state).toBe('up'));
  const id = one.ask();
  await vi.waitFor(async () => expect((await plimsoll('approvals', 'show', id, '--fleet')).code).toBe(0));
  server.pause();
  await vi.waitFor(() => expect(one.approvals.desk.row(id)?.state).toBe('expired'));
  server.resume();
  expect(one.ran).toEqual([]);
  await vi.waitFor(async () => {
    const found = await new FleetQueries(client).approvals();
    expect(found.find((each) => each.id.startsWith(id))?.applied).toBe('expired');
  });
  expect((await plimsoll('approvals', 'approve', id, '--fleet')).err).toContain('PLM_APPROVAL_DECIDED');
  await one.close();
});

test('who may not decide by the policy of the process is refused', async () => {
  const one = new Asker('pod-c', ['group:sre']);
  const id = one.ask();
  await vi.waitFor(async () => expect((await plimsoll('approvals', 'show', id, '--fleet')).code).toBe(0));
  expect((await plimsoll('approvals', 'approve', id, '--fleet')).err).toContain('PLM_APPROVAL_NOT_ALLOWED');
  expect((await plimsoll('approvals', 'approve', 'ffff', '--fleet')).err).toContain('PLM_APPROVAL_UNKNOWN');
  expect((await plimsoll('approvals', 'approve', id, '--fleet', '--digest', 'abcdef0123')).err).toContain(
    'PLM_APPROVAL_DIGEST',
  );
  expect(one.approvals.desk.row(id)?.state).toBe('open');
  await one.close();
});

test('three deciders and a database that fails: 0 double, 0 lost', async () => {
  const found = await interleave(client, 300, 42);
  expect(found).toMatchObject({ rounds: 300, double: 0, lost: 0 });
  expect(found.failures).toBeGreaterThan(300);
});
