/**
 * Takes pictures of pages, of a made-up stage or of a server that runs:
 * `node --conditions=plimsoll-source test/browser/shoot.ts OUT-DIR light|dark WIDTH [http://127.0.0.1:PORT/#token=...] PAGE...`
 */
import { FixtureServer, fixtureToken } from './fixture-server.ts';
import { launch } from './launch.ts';
import { busyStage } from './story.ts';
import { visit } from './visit.ts';

const [out = '.', scheme = 'light', width = '1280', ...rest] = process.argv.slice(2);
const running = rest[0]?.startsWith('http') === true ? rest.shift() : undefined;
const server = new FixtureServer(busyStage());
await server.start();
const browser = await launch();
const address = running ?? `${server.address}#token=${fixtureToken}`;
const { page, faults } = await visit(browser, address, {
  scheme: scheme as 'light' | 'dark',
  width: Number(width),
});
await page.locator('.tiles').waitFor();
for (const name of rest) {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${name === 'overview' ? '' : name}`)}`);
  await page.waitForTimeout(running === undefined ? 600 : 2500);
  await page.screenshot({
    path: `${out}/${name.replaceAll(/\W+/g, '-')}-${scheme}-${width}.png`,
    fullPage: true,
  });
}
for (const fault of faults) process.stdout.write(`${fault}\n`);
await browser.close();
await server.stop();
