import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { FixtureServer } from '../../test/browser/fixture-server.ts';
import { launch } from '../../test/browser/launch.ts';
import { writeMonth } from '../../test/browser/month-ledger.ts';
import { startPlimsoll } from '../../test/browser/plimsoll-process.ts';
import { busyStage, changedScopes } from '../../test/browser/story.ts';
import { goTo, visit } from '../../test/browser/visit.ts';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';

/** The page in a real browser: its pace while ten thousand scopes change, and how soon thirty days of history follow a key. */
export async function pagePace({ quick, log }: BenchOptions): Promise<Row[]> {
  const browser = await launch();
  try {
    log('dashboard: ten thousand scopes');
    const frames = await framesPerSecond(browser, quick ? 2 : 7);
    log('dashboard: thirty days');
    const { drawn, closer } = await zooms(browser, quick ? 1 : 4);
    return [
      row({
        metric: 'frames while 8,000 of 10,000 scopes change every second',
        unit: 'frames/s',
        samples: frames,
        goal: { atLeast: 30 },
      }),
      row({ metric: 'zoom of thirty days, drawn', unit: 'ms', samples: drawn, goal: { atMost: 100 } }),
      row({
        metric: 'zoom of thirty days, with closer rows',
        unit: 'ms',
        samples: closer,
        goal: { atMost: 100 },
      }),
    ];
  } finally {
    await browser.close();
  }
}

const countFrames = `new Promise((resolve) => {
  let frames = 0;
  const from = performance.now();
  const tick = (now) => {
    frames++;
    if (now - from < 2000) requestAnimationFrame(tick);
    else resolve((frames * 1000) / (now - from));
  };
  requestAnimationFrame(tick);
})`;

async function framesPerSecond(browser: Browser, repeats: number): Promise<number[]> {
  const server = new FixtureServer(busyStage(10_000));
  await server.start();
  await using tab = await visit(browser, `${server.address}#/scopes`);
  await tab.page.getByText('10,000 scopes open').waitFor();
  let round = 0;
  const changing = setInterval(() => {
    for (const rows of changedScopes(server.stage.scopes, ++round)) server.tellScopes(rows);
  }, 250);
  try {
    const samples: number[] = [];
    for (let i = 0; i < repeats; i++) samples.push(await tab.page.evaluate<number>(countFrames));
    return samples;
  } finally {
    clearInterval(changing);
    await server.stop();
  }
}

/** Presses a key and waits until the chart was drawn anew, and once more when the closer rows have come. */
const timeZoom = (key: string): string => `new Promise((resolve) => {
  const box = document.querySelector('.zoom-box');
  const title = () => document.querySelector('.history h2').textContent;
  const shown = title();
  const from = performance.now();
  let drawn = 0;
  box.dispatchEvent(new KeyboardEvent('keydown', { key: ${JSON.stringify(key)}, bubbles: true }));
  const look = () => {
    const now = performance.now();
    if (drawn === 0 && title() !== shown) drawn = now - from;
    if (drawn > 0 && box.getAttribute('aria-busy') === 'false') resolve({ drawn, closer: now - from });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})`;

async function zooms(browser: Browser, repeats: number): Promise<{ drawn: number[]; closer: number[] }> {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-month-'));
  try {
    writeMonth(join(dir, '.plimsoll'), Date.now());
    await using server = await startPlimsoll(dir, ['serve', '--port', '0']);
    await using tab = await visit(browser, server.address);
    await tab.page.locator('.tiles').waitFor();
    await goTo(tab.page, '#/history');
    await tab.page.getByText('30 d, one point per').waitFor();
    const samples: { drawn: number; closer: number }[] = [];
    for (const key of Array.from({ length: repeats }, () => ['+', '+', '+', '-', '-', '-']).flat())
      samples.push(await tab.page.evaluate(timeZoom(key)));
    return { drawn: samples.map(({ drawn }) => drawn), closer: samples.map(({ closer }) => closer) };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
