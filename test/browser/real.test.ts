import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch } from './launch.ts';
import { program, startPlimsoll, type PlimsollProcess } from './plimsoll-process.ts';
import { goTo, keepPicture, violations, visit } from './visit.ts';

const policy = `apiVersion: plimsoll/v1
revision: 1
mode: enforce
budgets:
  global: { max: 24MiB }
  sessions:
    "*": { max: 8MiB }
ladder:
  warning:
    - notify
    - keepers.shrink
    - delegation.clamp: { depth: 2, approval: ops }
    - admit.refuse: { approval: ops }
approvals:
  ops: { by: [owner], ttl: 10m, on-expiry: skip }
`;

const dir = mkdtempSync(join(tmpdir(), 'plimsoll-real-'));
let browser: Browser;
let running: PlimsollProcess;

beforeAll(async () => {
  writeFileSync(join(dir, 'plimsoll.yaml'), policy);
  const args = ['run', '--policy', 'plimsoll.yaml', '--status', '0', '--report', 'report.json'];
  // The trace needs a snapshot, and beside other tests one takes longer than a server is stopped for by default.
  args.push('--max-pause', '60s', '--');
  [browser, running] = await Promise.all([
    launch(),
    startPlimsoll(dir, [...args, ...program('leaky-program.ts')]),
  ]);
}, 120_000);
afterAll(async () => {
  await browser.close();
  await running.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** What the console says of a process that has no answer yet, or not in time. */
const busy = /status of (?:404|503|504)/;

/** Waits until a text is read. A process that is too busy to answer in time is asked again, as the page says then. */
async function reads(page: Page, text: string | RegExp): Promise<void> {
  const found = page.locator('#app').getByText(text).first();
  const tooBusy = page.locator('.refused', { hasText: 'PLM_CONTROL_TIMEOUT' }).first();
  // Watched objects are looked at with a thousandth of a core, so a busy machine tells of a survivor late.
  await found
    .or(tooBusy)
    .first()
    .waitFor()
    .catch(async (error: unknown) => {
      await keepPicture(page, 'real-missing', 'wrong');
      throw error;
    });
  if (await found.isVisible()) return;
  await page.reload();
  await reads(page, text);
}

test('the page of a governed process lives', { timeout: 240_000 }, async () => {
  await using tab = await visit(browser, running.address, { expected: busy });
  const { page, faults } = tab;
  await page.locator('.tiles').waitFor();
  const used = page.locator('.hero-used');
  const before = await used.textContent();
  await expect.poll(() => used.textContent()).not.toBe(before);
  await goTo(page, '#/scopes');
  await reads(page, 'agent:planner');
  await reads(page, /^session:\d+$/);
  await goTo(page, '#/scope?path=process%2Fagent%3Aplanner');
  await reads(page, 'Directly inside');
  await reads(page, 'from');
  await goTo(page, '#/policy?scope=process%2Fagent%3Aplanner%2Fsession%3A1');
  await reads(page, 'sessions "*"');
  await reads(page, 'apiVersion: plimsoll/v1');
  await goTo(page, '#/history');
  await reads(page, 'What happened');
  await page.locator('.badge', { hasText: 'start' }).first().waitFor();
  expect(await violations(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('a survivor appears in the page that is open', { timeout: 240_000 }, async () => {
  await using tab = await visit(browser, running.address, { expected: busy });
  const { page, faults } = tab;
  await goTo(page, '#/findings');
  await reads(page, /still alive, first in agent:planner/);
  await reads(page, /release "conversation"/);
  await keepPicture(page, 'real-findings');
  expect(faults).toEqual([]);
});

test('deny and approve change what the process does', { timeout: 240_000 }, async () => {
  await using tab = await visit(browser, running.address, { expected: busy });
  const { page, faults } = tab;
  await goTo(page, '#/approvals');
  await reads(page, 'admit.refuse on process');
  await reads(page, 'delegation.clamp on process');
  await keepPicture(page, 'real-approvals');
  await page
    .getByRole('region', { name: 'delegation.clamp on process' })
    .getByRole('button', { name: 'Deny' })
    .click();
  await page.locator('.badge', { hasText: 'denied' }).first().waitFor();
  const refuse = page.getByRole('region', { name: 'admit.refuse on process' });
  await refuse.getByLabel('Comment').fill('until the queue is empty');
  await refuse.getByRole('button', { name: 'Approve' }).click();
  await page.locator('.badge', { hasText: 'approved' }).first().waitFor();
  await reads(page, /until the queue is empty/);
  await goTo(page, '#/actions');
  await reads(page, /^refusing, [1-9]\d* refused$/);
  await keepPicture(page, 'real-actions');
  expect(faults).toEqual([]);
});

test('a snapshot of the live process is taken by its owner and opened', { timeout: 240_000 }, async () => {
  await using tab = await visit(browser, running.address, { expected: busy });
  const { page, faults } = tab;
  await goTo(page, '#/snapshot');
  await reads(page, 'It would stop the process for about');
  await page.getByRole('button', { name: 'Take a snapshot and open it' }).click();
  await reads(page, /^Taken: /);
  await page.getByText('Retained sizes').first().waitFor();
  await reads(page, 'SessionRegistry');
  await keepPicture(page, 'real-snapshot');
  expect(await violations(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test(
  'a server that is started again is found, and the ledger shows a process that is gone with the trace of its leak',
  { timeout: 240_000 },
  async () => {
    const first = await startPlimsoll(dir, ['serve', '--port', '0']);
    const port = new URL(first.address).port;
    await using tab = await visit(browser, first.address, { expected: /ERR_|Failed to load resource/ });
    const { page, faults } = tab;
    await page.locator('.line-live').waitFor();
    await first.stop();
    await reads(page, 'Disconnected since');
    const second = await startPlimsoll(dir, ['serve', '--port', port]);
    try {
      await page.locator('.line-live').waitFor();
      await page.getByText('Disconnected since').waitFor({ state: 'detached' });
      await running.stop();
      await reads(page, 'History, nothing here is live');
      await page.reload();
      await reads(page, 'History, nothing here is live');
      await goTo(page, '#/findings');
      await page.locator('.trace', { hasText: 'SessionRegistry' }).first().waitFor();
      await page.locator('.trace', { hasText: 'Conversation' }).first().waitFor();
      await keepPicture(page, 'real-trace');
      await goTo(page, '#/');
      await reads(page, 'Memory used');
      await keepPicture(page, 'real-history');
      expect(faults).toEqual([]);
    } finally {
      await second.stop();
    }
  },
);
