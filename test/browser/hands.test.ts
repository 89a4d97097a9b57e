import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FixtureServer, fixtureToken } from './fixture-server.ts';
import { launch } from './launch.ts';
import { busyFrame, busyStage, leakOf } from './story.ts';
import { goTo, visit } from './visit.ts';

let browser: Browser;
let server: FixtureServer;

beforeAll(async () => {
  server = new FixtureServer(busyStage());
  await server.start();
  browser = await launch();
}, 90_000);
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const hash = (page: Page): Promise<string> => page.evaluate<string>('location.hash');
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(
    '(document.activeElement?.textContent || document.activeElement?.getAttribute("aria-label") || "").trim()',
  );

test('everything is reached by keyboard, and the focus is seen', async () => {
  await using tab = await visit(browser, server.address);
  const { page, faults } = tab;
  await page.locator('.tiles').waitFor();
  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe('Skip to the page');
  const names: string[] = [];
  for (let step = 0; step < 11; step++) {
    await page.keyboard.press('Tab');
    names.push(await focused(page));
    const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
    expect([names.at(-1), outline]).toEqual([names.at(-1), 'solid']);
  }
  expect(names).toEqual([
    'Plimsoll',
    'autolightdark',
    'Overview',
    'Scopes',
    'Findings2',
    'Actions',
    'Approvals1',
    'History',
    'Policy',
    'Heap snapshot',
    'the evidence',
  ]);
  await page.keyboard.press('Enter');
  await expect.poll(() => hash(page)).toBe('#/findings');
  await expect.poll(() => page.evaluate<string>('document.activeElement.id')).toBe('main');
  expect(faults).toEqual([]);
});

test('the tree is walked, folded, sorted, filtered and opened', async () => {
  await using tab = await visit(browser, `${server.address}#/scopes`);
  const { page, faults } = tab;
  const names = (): Promise<string[]> => page.locator('.grid-space .grid-name a').allTextContents();
  await page.getByText('40 scopes open').waitFor();
  await page.locator('.grid').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const branch = await page.locator('.chosen a').textContent();
  const whole = await names();
  await page.keyboard.press('ArrowLeft');
  await expect
    .poll(async () => (await names()).indexOf('agent:planner'))
    .toBeLessThan(whole.indexOf('agent:planner'));
  await page.keyboard.press('ArrowRight');
  await expect.poll(names).toEqual(whole);
  await page.keyboard.press('Enter');
  await expect.poll(() => hash(page)).toBe(`#/scope?path=${encodeURIComponent(`process/${branch ?? ''}`)}`);
  await page.goBack();
  await page.getByLabel('as a list').check();
  await page.getByRole('button', { name: 'Scope', exact: true }).click();
  await expect.poll(async () => (await names())[0]).toBe('process/agent:coder');
  await page.getByLabel('Filter').fill('planner session:20');
  await expect.poll(names).toEqual(['process/agent:planner/session:20']);
  await page.getByLabel('Filter').fill('nobody');
  await page.getByText('No open scope has "nobody" in its path').waitFor();
  expect(faults).toEqual([]);
});

test('a theme is chosen and kept', async () => {
  await using tab = await visit(browser, server.address, { scheme: 'light' });
  const { page, faults } = tab;
  const shown = (): Promise<string> => page.evaluate<string>('document.documentElement.dataset.theme');
  await page.locator('.tiles').waitFor();
  expect(await shown()).toBe('light');
  await page.getByLabel('Colours').selectOption('dark');
  expect(await shown()).toBe('dark');
  await page.reload();
  await page.locator('.tiles').waitFor();
  expect(await shown()).toBe('dark');
  await page.getByLabel('Colours').selectOption('auto');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(shown).toBe('dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(shown).toBe('light');
  expect(faults).toEqual([]);
});

test('a leak appears with its trace while the page is open, and can be pasted without names', async () => {
  const calm = { ...busyFrame(), findings: [] };
  server.stage.frame = calm;
  await using tab = await visit(browser, `${server.address}#/findings`);
  const { page, faults } = tab;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByText('No findings').waitFor();
  server.tell({ ...calm, at: Date.now(), findings: [leakOf(Date.now())] });
  await page.locator('.trace', { hasText: 'SessionRegistry' }).waitFor();
  expect(await page.locator('.trace-via.suspect code').allTextContents()).toEqual([
    'sessions',
    'value of key "session-42"',
  ]);
  expect(await page.locator('.places .count').first().textContent()).toBe('1');
  await page.getByRole('button', { name: 'Copy without names' }).click();
  await page.getByText('copied').waitFor();
  const pasted = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(pasted).toContain('survivor in process/agent:*/session:*');
  expect(pasted).not.toMatch(/planner|session-42|session:42/);
  await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
  await page.getByRole('button', { name: 'Copy without names' }).click();
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Copy without names' }).inputValue())
    .toBe(pasted);
  server.stage.frame = busyFrame();
  expect(faults).toEqual([]);
});

test('what the server refuses is said with the way out', async () => {
  await using tab = await visit(browser, `${server.address}#token=${fixtureToken}`, { expected: /404/ });
  const { page, faults } = tab;
  await goTo(page, '#/approvals');
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  server.stage.refuses = true;
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.locator('.refused', { hasText: 'PLM_FIXTURE_NONE' }).waitFor();
  await page.locator('.refused', { hasText: 'fix: ask for something else.' }).waitFor();
  server.stage.refuses = false;
  expect(faults).toEqual([]);
});

test('another process is chosen, also one that is gone', async () => {
  const gone = {
    id: 'run-3',
    pid: 99,
    target: 'node worker.js',
    startedAt: 1_700_000_000_000,
    endedAt: 1_700_000_900_000,
    state: 'died',
  } as const;
  server.stage.others = [gone];
  await using tab = await visit(browser, server.address);
  const { page, faults } = tab;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.locator('.target select').selectOption('run-3');
  await page.getByText('History, nothing here is live').waitFor();
  await page.getByText(' died, last heard of').waitFor();
  expect(asked.filter((url) => url.includes('/api/frame')).every((url) => url.endsWith('?pid=run-3'))).toBe(
    true,
  );
  await page.locator('.target select').selectOption('4711');
  await page.locator('.line-live').waitFor();
  server.stage.others = [];
  expect(faults).toEqual([]);
});
