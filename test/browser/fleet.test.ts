import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '@plimsoll/ledger/internal/postgres/client';
import { migrate } from '@plimsoll/ledger/internal/postgres/migrate';
import { FleetPolicies } from '@plimsoll/ledger/internal/postgres/policies';
import { startServing } from '../../packages/plimsoll/src/server/serve-run.ts';
import type { Serving } from '../../packages/plimsoll/src/server/serve-run.ts';
import { startPostgres } from '../postgres/server.ts';
import type { PostgresServer } from '../postgres/server.ts';
import { launch } from './launch.ts';
import { keepPicture, violations, visit } from './visit.ts';

let server: PostgresServer;
let serving: Serving;
let browser: Browser;

/** 1,000 processes for six hours; half of them got the release 1.4.2 an hour ago, which leaks. */
const story = `
insert into plimsoll.process (id, token, service, release, host, pid, started, last_seen, level, pressure, used_bytes, limit_bytes, forecast, mode)
select 'p' || i, 't', 'agents', case when i % 2 = 0 then '1.4.2' else '1.4.1' end, 'pod-' || i, 100 + i,
  now() - case when i % 2 = 0 then interval '1 hour' else interval '1 day' end,
  now() - case when i % 97 = 5 then interval '10 minutes' else interval '2 seconds' end,
  case when i % 2 = 1 then 0 when i % 10 = 0 then 3 when i % 3 = 0 then 2 else 1 end,
  case when i % 2 = 1 then 0.3 + (i % 7) * 0.02 when i % 10 = 0 then 0.96 when i % 3 = 0 then 0.85 else 0.66 end, 700000000, 1000000000,
  case when i % 2 = 0 then jsonb_build_object('ms', 600000 + i * 1000, 'low', 1, 'high', 2, 'bytesPerHour', 300000000, 'source', 'heap', 'at', extract(epoch from now()) * 1000) end,
  'enforce' from generate_series(1, 1000) as i;
insert into plimsoll.rollup (process_no, at, n, low, high, total, pressure, level)
select p.no, date_bin('5 minutes', now(), timestamptz '2000-01-01') - s * interval '5 minutes', 30, 1, 2, 3,
  case when p.release = '1.4.2' and s < 12 then least(p.pressure, 0.35 + (12 - s) * 0.055) else 0.35 end,
  case when p.release = '1.4.2' and s < 12 and 0.35 + (12 - s) * 0.055 > 0.6 then p.level else 0 end
from plimsoll.process p cross join generate_series(0, 71) as s where p.release = '1.4.1' or s < 12;
insert into plimsoll.finding (fingerprint, process_id, service, release, host, kind, severity, scope, headline, fix, first_seen, last_seen, count, bytes, rate)
select 'f1', id, service, release, host, 'growth', 'high', 'process', 'Map "sessions" of SessionStore grows', 'remove a session when its socket closes',
  now() - interval '48 minutes', now(), 3, 200000000, 300000000 from plimsoll.process where release = '1.4.2' and pid % 20 <> 2;
insert into plimsoll.fleet_finding (service, fingerprint, first_process, first_release, severity) values ('agents', 'f1', 'p2', '1.4.2', 'high');`;

const token = 'viewer-token';

beforeAll(async () => {
  [server, browser] = await Promise.all([startPostgres(), launch()]);
  const url = await server.database();
  const client = await connect(url);
  await migrate(client);
  await client.query("select plimsoll.make_partition('rollup', now() - interval '6 hours')");
  await client.exec(story);
  const policies = new FleetPolicies(client);
  const { version } = await policies.push('agents', 'mode: enforce\n', 'user:ann');
  await policies.rollout('agents', { version, mode: 'shadow', share: 0.1, by: 'user:ann' });
  await client.close();
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-fleet-page-'));
  const roles = join(dir, 'roles.yaml');
  const sha256 = createHash('sha256').update(token).digest('hex');
  writeFileSync(roles, `tokens: [{ name: wall, sha256: ${sha256}, role: viewer }]\n`, { mode: 0o600 });
  serving = await startServing({
    dir,
    port: 0,
    portOption: '--port',
    fleet: url,
    roles,
    env: {},
    isPublic: true,
  });
});
afterAll(async () => {
  await serving?.[Symbol.asyncDispose]();
  await browser?.close();
  await server?.stop();
});

test('nobody without a role sees anything, and a viewer decides nothing', async () => {
  const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<number> =>
    (await fetch(`${serving.address}${path}`, { headers, method })).status;
  const viewer = { authorization: `Bearer ${token}` };
  for (const path of [
    '',
    '/processes',
    '/heat',
    '/findings',
    '/approvals',
    '/policies',
    '/process?id=p2',
  ].map((each) => `api/fleet${each}`)) {
    expect(await ask(path), path).toBe(401);
    expect(await ask(path, { 'x-forwarded-user': 'ann' }), path).toBe(401);
    expect(await ask(path, viewer), path).toBe(200);
  }
  expect(await ask('api/session')).toBe(401);
  expect(await ask('api/approvals/x', viewer, 'POST')).toBe(401);
  expect(await ask('api/fleet/process?id=nobody', viewer)).toBe(404);
});

test.each(['light', 'dark'] as const)(
  '1,000 processes and a bad release at half of them, %s',
  async (scheme) => {
    await using tab = await visit(browser, `${serving.address}#token=${token}`, { scheme });
    const { page, faults } = tab;
    await page.getByRole('link', { name: 'Fleet' }).click();
    await page.getByText(/1000 in the last day/).waitFor();
    await page.getByText(/critical or worse, \d+ at warning, \d+ silent/).waitFor();
    await page.getByText(/not in 1\.4\.1/).waitFor();
    await page.locator('canvas.heat').waitFor();
    // A page has fifty rows, however many processes there are; the most endangered come first.
    expect(await page.locator('.fleet tbody').first().locator('tr').count()).toBe(50);
    expect(await page.locator('.fleet tbody tr').first().textContent()).toMatch(/^emergency.*1\.4\.2/);
    await page.getByText(/in mode shadow at 10/).waitFor();
    expect(await violations(page)).toEqual([]);
    await keepPicture(page, `fleet-${scheme}`);
    await page.locator('.fleet tbody a').first().click();
    await page.getByText('All processes').waitFor();
    await page
      .getByText(/process 1\d\d/)
      .first()
      .waitFor();
    expect(faults).toEqual([]);
  },
);
