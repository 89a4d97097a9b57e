import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FleetPoliciesAnswer, RolloutState } from '@plimsoll/host/protocol/fleet';
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
let database: string;

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
insert into plimsoll.fleet_finding (service, fingerprint, first_process, first_release, severity) values ('agents', 'f1', 'p2', '1.4.2', 'high');
insert into plimsoll.approval (id, process_id, deadline, default_answer, digest, quorum, body)
select 'ask-' || i, 'p' || i, now() + interval '10 minutes', 'deny', repeat('d', 64), 1, jsonb_build_object('id', 'ask-' || i, 'action', 'scope.stop',
  'scope', 'process/session:' || i, 'why', 'session:' || i || ' holds 71.4 MiB of its 64.0 MiB limit', 'approvers', jsonb_build_array('owner'),
  'requestedBy', 'ladder.critical') from generate_series(10, 40, 10) as i;`;

const token = 'viewer-token';
/** One token per role; the name of each is that of its role. */
const tokens = { viewer: token, approver: 'approver-token', admin: 'admin-token' } as const;

beforeAll(async () => {
  [server, browser] = await Promise.all([startPostgres(), launch()]);
  const url = await server.database();
  database = url;
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
  const rows = Object.entries(tokens).map(
    ([role, each]) =>
      `  - { name: ${role}, sha256: ${createHash('sha256').update(each).digest('hex')}, role: ${role} }\n`,
  );
  writeFileSync(roles, `tokens:\n${rows.join('')}`, { mode: 0o600 });
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
  expect(await ask('api/fleet/approvals/ask-10', viewer, 'POST')).toBe(401);
  expect(await ask('api/fleet/rollouts', viewer, 'POST')).toBe(401);
  expect(await ask('api/fleet/process?id=nobody', viewer)).toBe(404);
});

/** Sends a change as somebody with a role; gives the status and the code of the error. */
async function change(
  role: keyof typeof tokens,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<readonly [number, string | undefined]> {
  const response = await fetch(`${serving.address}api/fleet/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens[role]}`, ...headers },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { error?: { code: string } };
  return [response.status, answer.error?.code];
}

const digest = 'd'.repeat(64);

test('an approver decides approvals, an admin also rolls out, and nobody does by a foreign page', async () => {
  const yes = { decision: 'approve', digest, key: 'k' };
  const foreign = { origin: 'http://evil.example' };
  expect(await change('approver', 'approvals/ask-40', yes, foreign)).toEqual([
    403,
    'PLM_SERVER_CROSS_ORIGIN',
  ]);
  expect(await change('approver', 'approvals/none', yes)).toEqual([404, 'PLM_APPROVAL_UNKNOWN']);
  expect(await change('approver', 'approvals/ask-40', { ...yes, digest: 'e'.repeat(64) })).toEqual([
    409,
    'PLM_APPROVAL_DIGEST',
  ]);
  expect(await change('approver', 'approvals/ask-40', yes)).toEqual([200, undefined]);
  expect(await change('approver', 'approvals/ask-40', yes)).toEqual([200, undefined]);
  expect(await change('admin', 'approvals/ask-40', { ...yes, decision: 'deny' })).toEqual([
    409,
    'PLM_APPROVAL_DECIDED',
  ]);
  const [vote] = await server.sql(
    "select a.state, v.voter, v.origin, v.channel from plimsoll.approval a join plimsoll.approval_vote v on v.approval_id = a.id where a.id = 'ask-40'",
    database,
  );
  expect(vote).toEqual({
    state: 'approved',
    voter: 'user:approver',
    channel: 'dashboard',
    origin: expect.stringMatching(/^127\.0\.0\.1 by the page on ./) as string,
  });
  const { versions } = (await policiesNow())[0] as RolloutState;
  const version = versions[0]?.version ?? 0;
  const step = { service: 'agents', version, mode: 'shadow', share: 0.1 };
  expect(await change('approver', 'rollouts', step)).toEqual([403, 'PLM_SERVER_ROLE']);
  expect(await change('admin', 'rollouts', step, foreign)).toEqual([403, 'PLM_SERVER_CROSS_ORIGIN']);
  for (const wrong of [{ version: 0 }, { service: '' }, { mode: 'on' }, { share: 2 }, { force: 1 }])
    expect(await change('admin', 'rollouts', { ...step, ...wrong })).toEqual([400, 'PLM_SERVER_BAD_QUERY']);
  expect(await change('admin', 'rollouts', { ...step, version: 999 })).toEqual([
    404,
    'PLM_FLEET_POLICY_UNKNOWN',
  ]);
  expect(await change('admin', 'rollouts', step)).toEqual([200, undefined]);
  expect((await policiesNow())[0]?.steps[0]).toMatchObject({
    by: 'user:admin',
    origin: expect.stringMatching(/^127\.0\.0\.1 /) as string,
    share: expect.closeTo(0.1) as number,
  });
  await expect(server.sql('delete from plimsoll.policy_step', database)).rejects.toThrow(/append-only/);
});

async function policiesNow(): Promise<readonly RolloutState[]> {
  const headers = { authorization: `Bearer ${tokens.viewer}` };
  const response = await fetch(`${serving.address}api/fleet/policies`, { headers });
  return ((await response.json()) as FleetPoliciesAnswer).services;
}

test.each(['light', 'dark'] as const)(
  'approvals and roll-outs are decided on the page, %s',
  async (scheme) => {
    await using tab = await visit(browser, `${serving.address}#token=${tokens.admin}`, { scheme });
    const { page, faults } = tab;
    await page.getByRole('link', { name: 'Fleet' }).click();
    const id = scheme === 'light' ? 10 : 20;
    const row = page.locator('.fleet-approval', { hasText: `process/session:${id}` });
    await row.getByLabel('Comment').fill('known');
    const form = page.getByRole('form', { name: 'Next step of agents' });
    await form.getByLabel('Mode').selectOption('enforce');
    await form.getByLabel('Percent of processes').fill(scheme === 'light' ? '10' : '50');
    await form.getByRole('button', { name: 'Roll out' }).click();
    await form.getByText(/in mode enforce at \d+ % of the processes of agents\?/).waitFor();
    expect(await violations(page)).toEqual([]);
    await keepPicture(page, `fleet-decide-${scheme}`);
    await form.getByRole('button', { name: 'Yes, roll it out' }).click();
    await page
      .getByText(scheme === 'light' ? /in mode enforce at 10/ : /in mode enforce at 50/)
      .first()
      .waitFor();
    await row.getByRole('button', { name: scheme === 'light' ? 'Approve' : 'Deny' }).click();
    await page
      .getByText(/by user:admin from 127\.0\.0\.1 by the page on .*: known/)
      .first()
      .waitFor();
    // The text above may be that of the other scheme's answer.
    await expect
      .poll(() =>
        server.sql(`select state, decided_by from plimsoll.approval where id = 'ask-${id}'`, database),
      )
      .toEqual([{ state: scheme === 'light' ? 'approved' : 'denied', decided_by: 'user:admin' }]);
    expect(faults).toEqual([]);
  },
);

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
    const month = page.waitForResponse((response) => response.url().includes('hours=720'));
    await page.getByLabel(/most endangered, the last/).selectOption('30 days');
    expect((await month).status()).toBe(200);
    // A page has fifty rows, however many processes there are; the most endangered come first.
    expect(await page.locator('.fleet tbody').first().locator('tr').count()).toBe(50);
    expect(await page.locator('.fleet tbody tr').first().textContent()).toMatch(/^emergency.*1\.4\.2/);
    await page
      .getByText(/in mode \w+ at \d+/)
      .first()
      .waitFor();
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
