/** Looks at the pages of a made-up stage: `node --conditions=plimsoll-source test/browser/shoot.ts OUT-DIR [light|dark] [width] [page...]`. */
import { launch } from './launch.ts';
import { FixtureServer, fixtureToken } from './fixture-server.ts';
import { busyStage } from './story.ts';

const [out = '.', scheme = 'light', width = '1280', ...pages] = process.argv.slice(2);
const server = new FixtureServer(busyStage());
await server.start();
const browser = await launch();
const context = await browser.newContext({
  viewport: { width: Number(width), height: 900 },
  colorScheme: scheme as 'light' | 'dark',
  locale: 'en-US',
});
const tab = await context.newPage();
tab.on('console', (message) => process.stdout.write(`${message.type()}: ${message.text()}\n`));
tab.on('pageerror', (error) => process.stdout.write(`${error.stack ?? error.message}\n`));
await tab.goto(`${server.address}#token=${fixtureToken}`);
await tab.waitForSelector('.tiles');
for (const page of pages) {
  await tab.goto(`${server.address}#/${page === 'overview' ? '' : page}`);
  await tab.waitForTimeout(600);
  await tab.screenshot({ path: `${out}/${page.replaceAll(/\W+/g, '-')}-${scheme}-${width}.png`, fullPage: true });
}
await browser.close();
await server.stop();
