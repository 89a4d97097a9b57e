// Starts verdaccio on a free port, asks for a package that it does not have and for its page, and ends it.
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { runServer } = require('verdaccio');

const dir = mkdtempSync(path.join(tmpdir(), 'stranger-verdaccio-'));
const config = path.join(dir, 'config.yaml');
writeFileSync(
  config,
  `storage: ${dir}\nauth: {}\npackages: { '**': { access: $all } }\nlog: { type: stdout, level: fatal }\n`,
);
void runServer(config).then((server) => {
  server.listen(0, '127.0.0.1', async () => {
    // Adapters are connected some hundred ms after the first line of a program.
    await new Promise((done) => setTimeout(done, 2000));
    const base = `http://127.0.0.1:${server.address().port}`;
    console.log((await fetch(`${base}/-/ping`)).status, (await fetch(`${base}/no-such-package`)).status);
    for (let i = 0; i < 5; i += 1) console.log((await (await fetch(base)).text()).length > 500);
    rmSync(dir, { recursive: true, force: true });
    process.exit(8);
  });
});
