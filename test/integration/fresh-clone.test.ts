/** The README's first commands, in order, in a copy of the sources that was never built: what a newcomer types and reads. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endGroup, startGroup } from '../process-group.ts';
import { root } from './plimsoll.ts';

let clone: string;

beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'plimsoll-clone-'));
  const isLeftOut = (path: string): boolean =>
    ['dist', 'node_modules', '.plimsoll'].includes(basename(path)) || path.endsWith('.tsbuildinfo');
  for (const name of ['package.json', 'README.md', 'packages', 'apps', 'examples', 'tsconfig.base.json'])
    cpSync(join(root, name), join(clone, name), {
      recursive: true,
      filter: (path) => !isLeftOut(path) && path !== join(root, 'packages/plimsoll/dashboard'),
    });
  linkModules();
});

afterAll(() => rmSync(clone, { recursive: true, force: true }));

/** As `npm ci` leaves them: what is installed, and our own packages as links into the clone. */
function linkModules(): void {
  const modules = join(clone, 'node_modules');
  mkdirSync(join(modules, '@plimsoll'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@plimsoll' && name !== 'plimsoll')
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  for (const name of readdirSync(join(root, 'packages')))
    symlinkSync(
      join(clone, 'packages', name),
      join(modules, name === 'plimsoll' ? name : `@plimsoll/${name}`),
    );
  // What npm did not put at the top.
  for (const name of readdirSync(join(root, 'packages'))) {
    const own = join(root, 'packages', name, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(clone, 'packages', name, 'node_modules'));
  }
}

interface Step {
  readonly code: number | null;
  readonly text: string;
}

/** Runs a line in a shell; ends it as Ctrl-C does once `until` is true of what it printed. */
async function type(line: string, until?: (text: string) => boolean): Promise<Step> {
  const child = startGroup('/bin/sh', ['-c', line], {
    cwd: clone,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: '' },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const { promise: ended, resolve } = Promise.withResolvers<number | null>();
  child.once('close', resolve);
  const group = -(child.pid as number);
  try {
    if (until !== undefined) {
      await expect.poll(() => child.exitCode !== null || until(text)).toBe(true);
      if (child.exitCode === null) process.kill(group, 'SIGINT');
    }
    return { code: await ended, text };
  } finally {
    endGroup(child);
  }
}

/** The commands of the README's first section, long lines joined, without the comments. */
function readmeCommands(): readonly string[] {
  const section = /## Try it here\n([\s\S]*?)\n## /.exec(readFileSync(join(clone, 'README.md'), 'utf8'))?.[1];
  return [...(section ?? '').matchAll(/```\n([\s\S]*?)```/g)]
    .flatMap(([, block]) => (block as string).replaceAll('\\\n', '').split('\n'))
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '');
}

function hasLedger(): boolean {
  try {
    return readdirSync(join(clone, '.plimsoll/ledger')).length > 0;
  } catch {
    return false;
  }
}

test('the commands of the README run in a clone that was never built', async () => {
  const typed: string[] = [];
  for (const line of readmeCommands()) {
    const command = line.replace(/^npm ci && /, '');
    if (command === 'npm test') continue;
    typed.push(command);
    const serves = command === 'npm start' || command.includes('-- run ');
    const step = await type(
      command,
      serves
        ? (text) => /agent server on http:/.test(text) && / run pid \d+/.test(text) && hasLedger()
        : undefined,
    );
    expect(step.text).not.toMatch(/PLM_|Cannot find|Error:/);
    // The shell itself dies of Ctrl-C; the program ends well and the summary says so.
    if (serves) expect(step.text).toMatch(/ran \d.*, exit code 0\./);
    else expect(step.code).toBe(0);
    if (command === 'npm start') expect(step.text).toMatch(/dashboard at http:\/\/127\.0\.0\.1:\d+/);
    if (command.includes('ledger summary')) expect(step.text).toMatch(/node .*main\.ts/);
  }
  expect(typed.length).toBeGreaterThanOrEqual(3);
});

test('the command that npm links runs in a clone that was never built', async () => {
  const { bin } = JSON.parse(readFileSync(join(clone, 'packages/plimsoll/package.json'), 'utf8')) as {
    bin: { plimsoll: string };
  };
  const file = join(clone, 'packages/plimsoll', bin.plimsoll);
  expect(await type(`${file} --version`)).toMatchObject({ code: 0, text: expect.stringMatching(/^\d+\./) });
  const run = await type(`${file} run --dir of-bin -- node -e 0`);
  expect(run.text).not.toMatch(/PLM_|Cannot find|Error:/);
  expect(run.code).toBe(0);
});
