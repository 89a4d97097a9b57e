/** Runs the suite on the real Mastra: `npm run mastra-suite`. The frameworks are installed by test/frameworks, apart from the repo's own packages. */
import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { installFrameworks } from '../../test/frameworks/frameworks.ts';

const here = import.meta.dirname;
await installFrameworks();
const modules = join(here, 'node_modules');
if (!existsSync(modules)) symlinkSync(resolve(here, '../../test/frameworks/node_modules'), modules, 'dir');
const { status } = spawnSync(
  process.execPath,
  [
    '--conditions=plimsoll-source',
    '--test',
    '--test-timeout=900000',
    ...process.argv.slice(2).map((name) => `--test-name-pattern=^${name} `),
    join(here, 'suite.test.mjs'),
  ],
  { cwd: here, stdio: 'inherit' },
);
process.exit(status ?? 1);
