import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import type { ScopeRow } from '@plimsoll/host/protocol/frame';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { pageDir, pageFile } from './built-page.ts';
import { FixtureServer } from './fixture-server.ts';
import { launch } from './launch.ts';
import { busyStage, changedScopes } from './story.ts';
import { writeMonth } from './month-ledger.ts';
import { startPlimsoll } from './plimsoll-process.ts';
import { goTo, keepPicture, visit } from './visit.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
}, 90_000);
afterAll(() => browser.close());

// It is 68 kB, 22 kB of which are uPlot. The bound was 65 kB before the page showed autopsies, quarantine and the stages of a run, and
// 60 kB before it took heap snapshots, showed the keepers and who holds the memory, and explained its numbers. Of other packages it holds only units, texts and the table of readings.
test('the script of the page is at most 69 kB, compressed, without the snapshot worker and the page of a fleet', () => {
  expect(pageFile('/')?.type).toBe('text/html; charset=utf-8');
  const scripts = readdirSync(join(pageDir, 'assets')).filter((name) => name.endsWith('.js'));
  const loaded = scripts.filter((name) => !/^(?:worker|compressed|fleet)-/.test(name));
  expect(scripts.length - loaded.length).toBeGreaterThan(0);
  const bytes = loaded.reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(pageDir, 'assets', name)), { level: 9 }).length,
    0,
  );
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(69_000);
});

/** Counts, from now on, what the page changes in its tree of elements. */
const countChanges = `window.changes = 0; new MutationObserver((records) => {
  for (const { type, addedNodes, removedNodes } of records)
    window.changes += type === 'childList' ? addedNodes.length + removedNodes.length : 1;
}).observe(document.body, { childList: true, characterData: true, attributes: true, subtree: true })`;

// How many frames a second that gives is measured by "npm run bench -- dashboard page".
test('of ten thousand scopes that change only those in sight are drawn', async () => {
  const server = new FixtureServer(busyStage(10_000));
  await server.start();
  await using tab = await visit(browser, `${server.address}#/scopes`);
  const { page, faults } = tab;
  await page.getByText('10,000 scopes open').waitFor();
  const drawn = await page.locator('.grid-space .grid-row').count();
  expect(drawn).toBeGreaterThan(10);
  expect(drawn).toBeLessThan(60);
  await page.evaluate(countChanges);
  const rounds = 8;
  for (let round = 1; round <= rounds; round++) {
    for (const rows of changedScopes(server.stage.scopes, round)) server.tellScopes(rows);
    // The last word of the round is that one scope holds more than any did: it has to come to the top.
    const path = `process/agent:round-${round}`;
    const [scope] = server.stage.scopes as [ScopeRow];
    server.tellScopes([{ ...scope, path, bytes: round * 2 ** 40 }]);
    await page.locator('.grid-space .grid-row', { hasText: `agent:round-${round}` }).waitFor();
  }
  // Each round changes 2,000 scopes. Drawn anew are at most the rows in sight, each with a few cells.
  const changes = await page.evaluate<number>('window.changes');
  expect(changes).toBeGreaterThan(rounds);
  expect(changes / rounds).toBeLessThan(40 * drawn);
  expect(await page.locator('.grid-space .grid-row').count()).toBeLessThan(60);
  await page.locator('.grid').focus();
  await page.keyboard.press('End');
  await page.locator('.grid-row.chosen').waitFor();
  await keepPicture(page, 'ten-thousand-scopes');
  await server.stop();
  expect(faults).toEqual([]);
});

// How many milliseconds that takes is measured by "npm run bench -- dashboard page".
test('a zoom of thirty days of a real ledger is drawn at once, and once more when its closer rows have come', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-month-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  expect(writeMonth(join(dir, '.plimsoll'), Date.now())).toBe(172_800);
  await using server = await startPlimsoll(dir, ['serve', '--port', '0']);
  await using tab = await visit(browser, server.address);
  const { page, faults } = tab;
  await page.locator('.tiles').waitFor();
  await goTo(page, '#/history');
  await page.getByText('30 d, one point per').waitFor();
  await keepPicture(page, 'thirty-days');
  const box = page.locator('.zoom-box');
  const title = page.locator('.history h2').first();
  await box.focus();
  const asked: { readonly points: number; readonly release: () => void }[] = [];
  await page.route(/\/api\/history\?/, async (route) => {
    const points = Number(new URL(route.request().url()).searchParams.get('points'));
    await new Promise<void>((release) => void asked.push({ points, release }));
    await route.continue();
  });
  for (const [at, key] of ['+', '+', '+', '-', '+', '+'].entries()) {
    const before = await title.textContent();
    await page.keyboard.press(key);
    // The answer of the server is held back, so this is drawn from what the page has.
    await expect.poll(() => title.textContent()).not.toBe(before);
    await expect.poll(() => asked.length).toBe(at + 1);
    expect(await box.getAttribute('aria-busy')).toBe('true');
    expect(asked[at]?.points).toBeLessThanOrEqual(2000);
    asked[at]?.release();
    await expect.poll(() => box.getAttribute('aria-busy')).toBe('false');
  }
  expect(asked).toHaveLength(6);
  await page.unrouteAll();
  const chart = await page.locator('.zoom-box .u-over').boundingBox();
  if (chart === null) throw new Error('there is no chart');
  const shown = await title.textContent();
  await page.mouse.move(chart.x + chart.width * 0.3, chart.y + 100);
  await page.mouse.down();
  await page.mouse.move(chart.x + chart.width * 0.6, chart.y + 120, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => title.textContent()).not.toBe(shown);
  await box.focus();
  await page.keyboard.press('0');
  await page.getByText('30 d, one point per').waitFor();
  expect(faults).toEqual([]);
});
