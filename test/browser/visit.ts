import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';

const artefacts = resolve(import.meta.dirname, '../artefacts');
const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** A tab with its own storage, and everything that went wrong in it. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings of the console, faults of scripts, and requests that left the server. */
  readonly faults: string[];
}

export interface VisitOptions {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** Console texts that belong to what a test does on purpose. */
  readonly expected?: RegExp;
  /** What the browser says its language is. */
  readonly language?: string;
}

export async function visit(browser: Browser, address: string, options: VisitOptions = {}): Promise<Visit> {
  const context: BrowserContext = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: options.height ?? 900 },
    colorScheme: options.scheme ?? 'light',
    locale: 'en-US',
    reducedMotion: 'reduce',
  });
  if (options.language !== undefined)
    await context.addInitScript(
      `Object.defineProperty(Navigator.prototype, 'language', { get: () => ${JSON.stringify(options.language)} })`,
    );
  const page = await context.newPage();
  page.setDefaultTimeout(100_000);
  const faults: string[] = [];
  const { origin } = new URL(address);
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    if (options.expected?.test(message.text()) !== true) faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith('data:') && !url.startsWith('blob:'))
      faults.push(`request to ${url}`);
  });
  await page.goto(address);
  return { page, faults, [Symbol.asyncDispose]: () => context.close() };
}

/** Goes to a page of the dashboard in an open tab. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

/** What axe-core finds wrong on the page as it is shown, one line per rule. */
export async function violations(page: Page): Promise<readonly string[]> {
  const there = await page.evaluate<boolean>('typeof axe === "object"');
  // The content security policy refuses script tags that a test adds; the debugger's way in is not bound by it.
  if (!there) await page.evaluate((await import('node:fs')).readFileSync(axeFile, 'utf8'));
  return page.evaluate<string[]>(`axe.run(document).then((result) => result.violations.map((each) =>
    each.id + ': ' + each.help + ' ' + each.nodes.slice(0, 3).map((node) => node.html + ' ' + (node.any[0]?.message ?? '')).join(' | ')))`);
}

/** Keeps a picture of the whole page in test/artefacts, for people to look at. Without PLIMSOLL_PICTURES only those of what `went` wrong. */
export async function keepPicture(
  page: Page,
  name: string,
  went: 'right' | 'wrong' = 'right',
): Promise<void> {
  if (went === 'right' && process.env['PLIMSOLL_PICTURES'] === undefined) return;
  mkdirSync(artefacts, { recursive: true });
  await page.screenshot({ path: join(artefacts, `${name}.png`), fullPage: true });
}

/** How far the page is wider than its window; 0 when nothing sticks out. */
export async function overhang(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
