/**
 * Runs the suite on the real Mastra, and then the behaviours that Plimsoll's adapter cures once more under its preload:
 * `npm run mastra-suite [-- NUMBER...]`. The frameworks are installed by test/frameworks, apart from the repo's own packages.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { installFrameworks } from '../../test/frameworks/frameworks.ts';

const here = import.meta.dirname;
await installFrameworks();
const modules = join(here, 'node_modules');
if (!existsSync(modules)) symlinkSync(resolve(here, '../../test/frameworks/node_modules'), modules, 'dir');
const register = resolve(here, '../../packages/host/src/register.ts');
/** Behaviours that today's Mastra lacks and the adapter adds. */
const cured = ['5', '11', '12'];
const asked = process.argv.slice(2);

function suite(names: readonly string[], preload: readonly string[], env: Record<string, string>): number {
  const { status } = spawnSync(
    process.execPath,
    [
      '--conditions=plimsoll-source',
      ...preload,
      '--test',
      '--test-timeout=600000',
      ...names.map((name) => `--test-name-pattern=^${name} `),
      join(here, 'suite.test.mjs'),
    ],
    { cwd: here, stdio: 'inherit', env: { ...process.env, ...env } },
  );
  return status ?? 1;
}

const alone = suite(asked, [], {});
const again = cured.filter((name) => asked.length === 0 || asked.includes(name));
if (again.length > 0) process.stdout.write(`\nunder the preload of Plimsoll: ${again.join(', ')}\n`);
const governed = again.length === 0 ? 0 : suite(again, ['--import', register], { CURED: '1' });
process.exit(Math.max(alone, governed));
