import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { analyze } from '../../packages/heap/src/index.ts';
import { FixtureServer } from './fixture-server.ts';
import { launch } from './launch.ts';
import { busyStage } from './story.ts';
import { keepPicture, violations, visit } from './visit.ts';

const leaking = `
class Conversation { constructor(i) { this.turns = Array.from({ length: 40 }, (_, t) => 'turn ' + t + ' of ' + i); } }
class SessionRegistry { sessions = new Map(); }
globalThis.registry = new SessionRegistry();
for (let i = 0; i < 4000; i++) registry.sessions.set('session-' + i, new Conversation(i));
require('node:v8').writeHeapSnapshot(process.argv[1]);`;

const dir = mkdtempSync(join(tmpdir(), 'plimsoll-page-'));
const file = join(dir, 'leaking.heapsnapshot');
let browser: Browser;

beforeAll(async () => {
  execFileSync(process.execPath, ['-e', leaking, file]);
  browser = await launch();
}, 90_000);
afterAll(async () => {
  await browser.close();
  rmSync(dir, { recursive: true, force: true });
});

test(
  'a snapshot is analysed in the browser, off the main thread, with the answers of the terminal',
  { timeout: 300_000 },
  async () => {
    const known = await analyze(file);
    const server = new FixtureServer(busyStage());
    await server.start();
    await using tab = await visit(browser, `${server.address}#/snapshot`);
    const { page, faults } = tab;
    // Who reads the file does the work: it must not be the page.
    await page.evaluate(`window.readHere = 0;
    for (const name of ['stream', 'text', 'arrayBuffer', 'bytes']) {
      const read = Blob.prototype[name];
      Blob.prototype[name] = function (...args) { window.readHere++; return read?.apply(this, args); };
    }
    for (const name of ['readAsText', 'readAsArrayBuffer']) FileReader.prototype[name] = () => { window.readHere++; }`);
    const worker = page.waitForEvent('worker');
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('Suspect: Conversation').waitFor();
    const shown = await page.getByText(/^fingerprint /).allTextContents();
    expect(shown.slice(0, known.suspects.length)).toEqual(
      known.suspects.map(({ fingerprint }) => `fingerprint ${fingerprint}`),
    );
    expect(await page.locator('.suspect-word').count()).toBeGreaterThan(0);
    expect((await worker).url()).toMatch(/\/assets\/worker-[^/]+\.js$/);
    expect(await page.evaluate<number>('window.readHere')).toBe(0);
    expect(await page.locator('#app').textContent()).not.toContain('turn 0 of');
    await page.locator('.treemap-box').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    expect(await violations(page)).toEqual([]);
    await keepPicture(page, 'snapshot-read');
    await server.stop();
    expect(faults).toEqual([]);
  },
);

test('a file that is no snapshot is refused with a code and a way out', async () => {
  const server = new FixtureServer(busyStage());
  await server.start();
  await using tab = await visit(browser, `${server.address}#/snapshot`);
  const { page, faults } = tab;
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
  await page.locator('.refused', { hasText: 'PLM_HEAP_' }).waitFor();
  await server.stop();
  expect(faults).toEqual([]);
});
