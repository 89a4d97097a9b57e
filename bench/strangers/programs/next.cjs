// Next.js in production behind an HTTP server, asked for a page, a route and one that is missing.
const { createServer } = require('node:http');
const { createRequire } = require('node:module');
const path = require('node:path');

const dir = path.join(__dirname, '../next');
const next = createRequire(path.join(dir, 'package.json'))('next');

async function main() {
  const app = next({ dev: false, dir, quiet: true });
  await app.prepare();
  const handle = app.getRequestHandler();
  const server = createServer((request, response) => handle(request, response));
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${server.address().port}`;
  const page = await fetch(url);
  console.log(page.status, /<h1>[^<]*<\/h1>/.exec(await page.text())?.[0]);
  const route = await fetch(`${url}/api/hello`, { method: 'POST', body: '{"name":"Samuel"}' });
  console.log(route.status, await route.text());
  console.log((await fetch(`${url}/none`)).status);
  process.exit(0);
}
void main();
