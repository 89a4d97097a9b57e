/** Builds the documentation as a static site with search in site/dist. The generator is installed separately on first use. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const site = resolve(root, 'site');
const pages = resolve(site, 'pages');

const installed =
  existsSync(resolve(site, 'node_modules/vitepress')) ||
  run('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund']);
if (!installed) {
  process.stderr.write(
    'The pages are written. The site is not: its generator could not be installed in site/.\n',
  );
  process.exitCode = 1;
} else {
  // The generator resolves its own modules from the folder of the pages, so the pages have to be below it.
  rmSync(pages, { recursive: true, force: true });
  cpSync(resolve(root, 'docs'), pages, { recursive: true });
  if (run(process.execPath, ['node_modules/vitepress/bin/vitepress.js', 'build', '.']))
    process.stdout.write('The site is in site/dist; any web server can serve it.\n');
  else process.exitCode = 1;
}

function run(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { cwd: site, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}
