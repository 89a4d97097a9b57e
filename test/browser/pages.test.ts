import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FixtureServer, fixtureToken } from './fixture-server.ts';
import { launch } from './launch.ts';
import { approvalOf, busyFrame, busyStage, deadAnswer } from './story.ts';
import { goTo, keepPicture, overhang, violations, visit } from './visit.ts';

const MiB = 1024 ** 2;

/** Every page, and what has to be read on it. */
const pages: readonly { readonly hash: string; readonly name: string; readonly shows: readonly string[] }[] =
  [
    {
      hash: '#/',
      name: 'overview',
      shows: [
        'SessionStore.sessions holds 168.0 MiB',
        'Memory used',
        'Active agents',
        'Survivors',
        'GC effectiveness',
        'Cleanups',
        'Approvals asked',
        'Full in 21 m',
        'V8 heap',
        'in keepers outside of scopes',
      ],
    },
    {
      hash: '#/scopes',
      name: 'scopes',
      shows: [
        '40 scopes open',
        'agent:planner',
        'Of budget',
        '2 keepers',
        'session-cache',
        '14 of 200 refused',
      ],
    },
    {
      hash: '#/scope?path=process%2Fagent%3Aplanner',
      name: 'scope',
      shows: ['What it held', 'session:20', 'sessions "*" (plimsoll.yaml:8)'],
    },
    {
      hash: '#/findings',
      name: 'findings',
      shows: [
        'still alive, first in agent:planner/session:42',
        'suspect reference',
        'SessionRegistry',
        'Known leak',
        'Full in 21 m',
      ],
    },
    { hash: '#/actions', name: 'actions', shows: ['freed 21.4 MiB', 'would have', '20 % refused'] },
    {
      hash: '#/approvals',
      name: 'approvals',
      shows: ['scope.stop on process/agent:planner', 'projected', 'Without an answer', 'You decide as alice'],
    },
    { hash: '#/history', name: 'history', shows: ['one point per 9 s', 'normal to warning'] },
    {
      hash: '#/policy?scope=process%2Fagent%3Aplanner',
      name: 'policy',
      shows: [
        '25 % of the true limit',
        'plimsoll.yaml:6',
        'would have stopped 3 sessions',
        'the name does not match',
        'none rolled back',
      ],
    },
    {
      hash: '#/snapshot',
      name: 'snapshot',
      shows: ['No snapshot is open', 'Only the owner of the process may'],
    },
  ];

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
}, 90_000);
afterAll(() => browser.close());

async function staged(): Promise<FixtureServer & AsyncDisposable> {
  const server = new FixtureServer(busyStage());
  await server.start();
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.stop() });
}

async function reads(page: Page, text: string): Promise<void> {
  await page.locator('#app').getByText(text).first().waitFor();
}

describe.each(['light', 'dark'] as const)('in the %s theme', (scheme) => {
  test('every page shows its data, is accessible and asks nobody else', { timeout: 300_000 }, async () => {
    await using server = await staged();
    await using tab = await visit(browser, `${server.address}#token=${fixtureToken}`, { scheme });
    const { page, faults } = tab;
    const wrong: Record<string, readonly string[]> = {};
    for (const { hash, name, shows } of pages) {
      await goTo(page, hash);
      for (const text of shows) await reads(page, text);
      const found = await violations(page);
      if (found.length > 0) wrong[name] = found;
      await keepPicture(page, `${name}-${scheme}`);
    }
    expect(wrong).toEqual({});
    expect(faults).toEqual([]);
  });
});

test('on a phone nothing sticks out and nothing is lost', async () => {
  await using server = await staged();
  await using tab = await visit(browser, `${server.address}#token=${fixtureToken}`, {
    width: 360,
    height: 740,
  });
  const { page, faults } = tab;
  for (const { hash, name, shows } of pages) {
    await goTo(page, hash);
    for (const text of shows.slice(0, 2)) await reads(page, text);
    expect([name, await overhang(page)]).toEqual([name, 0]);
    expect([name, await violations(page)]).toEqual([name, []]);
    await keepPicture(page, `${name}-360`);
  }
  expect(faults).toEqual([]);
});

test('what the server tells is shown as it comes', async () => {
  await using server = await staged();
  await using tab = await visit(browser, server.address);
  const { page, faults } = tab;
  await reads(page, 'Newest findings');
  const calm = busyFrame(Date.now());
  server.tell({
    ...calm,
    at: Date.now(),
    level: 'emergency',
    reading: { ...calm.reading, at: Date.now(), used: 199 * MiB },
  });
  await page.locator('.hero .badge', { hasText: 'emergency' }).waitFor();
  await reads(page, '199.0 MiB');
  expect(await page.locator('.hull').getAttribute('aria-label')).toBe('used 100 % of the limit');
  await goTo(page, '#/scopes');
  await reads(page, 'agent:planner');
  const scope = server.stage.scopes[0];
  if (scope === undefined) throw new Error('the stage has no scope');
  server.tellScopes([{ ...scope, path: 'process/agent:newcomer', bytes: 777 * MiB }]);
  await reads(page, '777.0 MiB');
  server.tellScopes([], ['process/agent:newcomer']);
  await page.getByText('agent:newcomer').waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

test('names with HTML in them are text', async () => {
  await using server = await staged();
  const evil = 'process/session:<img src=x onerror="document.title=1">';
  const { frame, scopes } = server.stage;
  if (frame === null || scopes[0] === undefined) throw new Error('an empty stage');
  server.stage.scopes = [{ ...scopes[0], path: evil, bytes: 900 * MiB }];
  server.stage.frame = {
    ...frame,
    target: '<script>alert(1)</script>',
    scopes: server.stage.scopes,
    findings: frame.findings.map((finding) => ({ ...finding, scope: evil, fix: '<b>bold</b>' })),
  };
  await using tab = await visit(browser, server.address);
  const { page, faults } = tab;
  for (const hash of ['#/', '#/scopes', '#/findings']) {
    await goTo(page, hash);
    await reads(page, '<img src=x');
  }
  expect(await page.locator('main img, main b, header script').count()).toBe(0);
  expect(faults).toEqual([]);
});

test('approve and deny reach the server once, with comment, digest and token', async () => {
  await using server = await staged();
  const frame = busyFrame();
  const approvals = [
    approvalOf('ap-1', Date.now()),
    approvalOf('ap-2', Date.now(), { action: 'process.restart' }),
  ];
  server.stage.frame = { ...frame, governance: { ...frame.governance, approvals } };
  await using tab = await visit(browser, `${server.address}#token=${fixtureToken}`);
  const { page, faults } = tab;
  await reads(page, 'Approvals to decide');
  expect(await page.evaluate<string>('location.href')).not.toContain(fixtureToken);
  await goTo(page, '#/approvals');
  const first = page.getByRole('region', { name: 'scope.stop on' });
  await first.getByLabel('Comment').fill('quiet hour');
  await first.getByRole('button', { name: 'Approve' }).click();
  await page.locator('.badge', { hasText: 'approved' }).waitFor();
  await page
    .getByRole('region', { name: 'process.restart on' })
    .getByRole('button', { name: 'Deny' })
    .click();
  await page.locator('.badge', { hasText: 'denied' }).waitFor();
  expect(server.decisions.map(({ id, body }) => [id, body.decision, body.digest, body.comment])).toEqual([
    ['ap-1', 'approve', 'digest-ap-1', 'quiet hour'],
    ['ap-2', 'deny', 'digest-ap-2', ''],
  ]);
  await keepPicture(page, 'approvals-decided');
  expect(faults).toEqual([]);
});

test('without a token the inbox says why, and takes one', async () => {
  await using server = await staged();
  await using tab = await visit(browser, `${server.address}#/approvals`);
  const { page, faults } = tab;
  await reads(page, 'Deciding needs a token.');
  expect(await page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
  await keepPicture(page, 'approvals-no-token');
  await page.getByLabel('Token').fill(fixtureToken);
  await page.getByRole('button', { name: 'Use it' }).click();
  await reads(page, 'You decide as alice');
  expect(await page.getByRole('button', { name: 'Approve' }).isEnabled()).toBe(true);
  expect(faults).toEqual([]);
});

test('a server that goes away is noticed, and found again when it is back', async () => {
  await using server = await staged();
  await using tab = await visit(browser, server.address, { expected: /ERR_|Failed to load resource/ });
  const { page, faults } = tab;
  await reads(page, 'Newest findings');
  await server.stop();
  await reads(page, 'Disconnected since');
  await keepPicture(page, 'disconnected');
  const frame = busyFrame();
  server.stage.frame = { ...frame, level: 'critical' };
  await server.start();
  await page.locator('.hero .badge', { hasText: 'critical' }).waitFor();
  await page.getByText('Disconnected since').waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

test('a process that is gone is shown as history', async () => {
  await using server = await staged();
  server.stage.live = false;
  await using tab = await visit(browser, server.address);
  const { page, faults } = tab;
  await reads(page, 'History, nothing here is live');
  await reads(page, 'Memory used');
  expect(await page.locator('.line').textContent()).toBe('history');
  await goTo(page, '#/approvals');
  await reads(page, 'The process is gone; this is history.');
  await goTo(page, '#/scopes');
  await reads(page, '40 scopes open');
  await keepPicture(page, 'historical');
  expect(await violations(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('the page of a process that died begins with its autopsy', async () => {
  await using server = await staged();
  server.stage.live = false;
  server.stage.autopsy = deadAnswer();
  await using tab = await visit(browser, server.address);
  const { page, faults } = tab;
  const panel = page.getByRole('region', { name: 'Autopsy' });
  await panel.waitFor();
  const text = (await panel.textContent()) ?? '';
  for (const told of [
    'It died: it reached the heap limit of V8',
    'died 4 times in 6 h at the V8 heap limit',
    'release 1.4.2',
    'process/agent:planner/session:42: +390.0 MiB',
    'open: 40 session',
    'keepTurn (/app/server.js:41): +9.0 GiB per hour',
    'keepTurn (file:///app/server.js:41:7)',
    'raise --max-old-space-size only when nothing leaks',
  ])
    expect(text).toContain(told);
  expect(await page.locator('.overview > .panel').first().getAttribute('aria-label')).toBe('Autopsy');
  expect(await violations(page)).toEqual([]);
  expect(await overhang(page)).toBe(0);
  await keepPicture(page, 'autopsy');
  expect(faults).toEqual([]);
});

test('a policy that was given up is said to be so, with the way back', async () => {
  await using server = await staged();
  const { frame } = server.stage;
  if (frame === null) throw new Error('an empty stage');
  server.stage.frame = {
    ...frame,
    resume: {
      at: frame.startedAt,
      phase: 'died',
      reason: 'killed',
      parked: 0,
      lost: 3,
      interrupted: 1,
      text: 'found dead; 3 sessions were lost.',
    },
  };
  server.stage.audit.push({
    seq: 9,
    at: Date.now(),
    kind: 'policy',
    scope: 'process',
    body: {
      event: 'rollback',
      trigger: 'growth',
      text: 'The floor rose by 41 %.',
      by: null,
      from: { revision: 4, mode: 'enforce' },
      to: { revision: 3, mode: 'shadow' },
    },
  });
  await using tab = await visit(browser, `${server.address}#/policy`);
  const { page, faults } = tab;
  await reads(page, 'Rolled back from revision 4 to revision 3 in mode shadow');
  await reads(page, 'plimsoll rollback --undo');
  await reads(page, 'the life before this one: found dead; 3 sessions were lost.');
  expect(await violations(page)).toEqual([]);
  await keepPicture(page, 'policy-rolled-back');
  expect(faults).toEqual([]);
});

test('a server with nothing to show teaches how to begin', async () => {
  await using server = await staged();
  const frame = busyFrame();
  Object.assign(server.stage, { scopes: [], audit: [], policyFile: null, history: () => [] });
  server.stage.frame = {
    ...frame,
    scopes: [],
    keepers: [],
    delegation: null,
    forecast: null,
    findings: [],
    governance: {
      actions: [],
      approvals: [],
      admission: null,
      counts: { actions: 0, cleanups: 0, wouldHave: 0, freedBytes: 0, approvals: 0 },
    },
  };
  await using tab = await visit(browser, server.address);
  const { page, faults } = tab;
  const lessons: readonly (readonly [string, string])[] = [
    ['#/', 'No scope is open'],
    ['#/scopes', "import { open } from '@plimsoll/core'"],
    ['#/findings', 'session.watch'],
    ['#/actions', 'ladder:'],
    ['#/approvals', 'approvals:'],
    ['#/history', 'plimsoll run --ledger'],
    ['#/policy', 'plimsoll init'],
    ['#/nowhere', 'There is no page called "nowhere"'],
  ];
  for (const [hash, lesson] of lessons) {
    await goTo(page, hash);
    await reads(page, lesson);
    expect([hash, await violations(page)]).toEqual([hash, []]);
    await keepPicture(page, `empty-${hash.slice(2) || 'overview'}`);
  }
  server.stage.frame = null;
  server.stage.live = false;
  await page.reload();
  await goTo(page, '#/');
  await reads(page, 'No governed process yet');
  expect(faults).toEqual([]);
});

test('near the limit with survivors and without a forecast no sentence calms', async () => {
  await using server = await staged();
  const frame = busyFrame();
  const reading = { ...frame.reading, used: 0.9 * frame.reading.limit };
  server.stage.frame = { ...frame, level: 'normal', reading, forecast: null, incident: null };
  await using tab = await visit(browser, server.address);
  const { page, faults } = tab;
  await reads(page, 'Near the limit');
  await reads(page, 'Memory is kept that should be free');
  const text = await page.locator('main').textContent();
  expect(text).not.toMatch(/No exhaustion|Nothing leaks|All is well|Nothing to do|noise/);
  expect(faults).toEqual([]);
});

test('a healthy process is one calm sentence, a chart in its own scale and no empty lists', async () => {
  await using server = await staged();
  const frame = busyFrame();
  const limit = 3200 * MiB;
  server.stage.history = () => [];
  server.stage.frame = {
    ...frame,
    level: 'normal',
    reading: {
      ...frame.reading,
      used: 28 * MiB,
      limit,
      heapUsed: 55 * MiB,
      pressures: [{ source: 'heap', used: 28 * MiB, limit }],
    },
    findings: [],
    incident: null,
    forecast: null,
    growth: { channels: { heap: { shape: 'flat', floors: 40, growthBytes: 0 } } } as never,
    governance: {
      actions: [],
      approvals: [],
      admission: null,
      counts: { actions: 0, cleanups: 0, wouldHave: 0, freedBytes: 0, approvals: 0 },
    },
  };
  await using tab = await visit(browser, server.address);
  const { page, faults } = tab;
  await reads(page, 'All is well');
  await reads(page, 'The limit of 3.1 GiB is far above this scale.');
  for (const title of ['Newest findings', 'Newest actions', 'Approvals to decide'])
    expect(await page.getByText(title).count()).toBe(0);
  await keepPicture(page, 'overview-healthy');
  expect(await violations(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('the page is shown in a browser whose language is no valid tag', async () => {
  await using server = await staged();
  await using tab = await visit(browser, server.address, { language: 'en-US@posix' });
  const { page, faults } = tab;
  await reads(page, 'Memory used');
  expect(faults).toEqual([]);
});

test('the cost of a snapshot is told before it is taken, and one that does not fit is not offered', async () => {
  await using server = await staged();
  server.stage.as = 'admin';
  await using tab = await visit(browser, `${server.address}#token=${fixtureToken}`);
  const { page, faults } = tab;
  await goTo(page, '#/snapshot');
  await reads(page, 'It would stop the process for about');
  const button = page.getByRole('button', { name: 'Take a snapshot and open it' });
  expect(await button.isEnabled()).toBe(true);
  await keepPicture(page, 'snapshot-offered');
  expect(await violations(page)).toEqual([]);
  const { prediction } = server.stage.snapshot;
  server.stage.snapshot = { prediction: { ...prediction, fits: false }, job: null };
  await page.reload();
  await goTo(page, '#/snapshot');
  await reads(page, 'That does not fit, so it is not taken.');
  expect(await button.isDisabled()).toBe(true);
  expect(faults).toEqual([]);
});
