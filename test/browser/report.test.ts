import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cleanReport, leakReport, stressSection } from 'plimsoll/internal/report/report.fixture';
import { reportHtml } from 'plimsoll/internal/report/html';
import { launch } from './launch.ts';
import { keepPicture, overhang, violations, visit } from './visit.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
}, 90_000);
afterAll(() => browser.close());

const pages = {
  '/leak': reportHtml(leakReport({ stress: stressSection })),
  '/clean': reportHtml(cleanReport()),
};

async function served(): Promise<AsyncDisposable & { readonly address: string }> {
  const server = createServer((request, response) => {
    const page = pages[request.url as keyof typeof pages] as string | undefined;
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

test.each(['light', 'dark'] as const)('a report is accessible in the %s theme', async (scheme) => {
  await using server = await served();
  for (const path of Object.keys(pages)) {
    await using tab = await visit(browser, `${server.address}${path}`, { scheme, expected: /favicon|404/ });
    const { page, faults } = tab;
    await page.getByRole('img', { name: /^Memory over/ }).waitFor();
    expect([path, await violations(page)]).toEqual([path, []]);
    await keepPicture(page, `report${path.replace('/', '-')}-${scheme}`);
    expect(faults).toEqual([]);
  }
});

test('a report fits a phone, and paper is light in the dark theme', async () => {
  await using server = await served();
  await using tab = await visit(browser, `${server.address}/leak`, {
    scheme: 'dark',
    width: 360,
    height: 740,
    expected: /favicon|404/,
  });
  const { page } = tab;
  expect(await overhang(page)).toBe(0);
  await keepPicture(page, 'report-leak-360');
  await page.emulateMedia({ media: 'print' });
  expect(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).toBe(
    'rgb(255, 255, 255)',
  );
  await page.setViewportSize({ width: 794, height: 1123 });
  await keepPicture(page, 'report-leak-print');
});
