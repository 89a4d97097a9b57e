import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { plimsoll, workFolder } from './plimsoll.ts';
import { untilRead } from '../../packages/plimsoll/src/run/program.fixture.ts';

interface Written {
  readonly verdict: string;
  readonly target: string;
  readonly exit: { readonly code: number | null; readonly signal: string | null };
  readonly limits: { readonly bytes: number } | null;
  readonly readings: {
    readonly last: { readonly rss: number } | null;
    readonly kinds: readonly { kind: string; opened: number }[];
  };
  readonly self: { readonly bytes: number } | null;
}

const reportOf = (dir: string): Written => JSON.parse(readFileSync(join(dir, 'out.json'), 'utf8')) as Written;
const coreUrl = new URL('../../packages/core/src/index.ts', import.meta.url).href;

test.concurrent('an ESM program runs governed, unchanged, and leaves a report, a ledger and a summary', async () => {
  const dir = workFolder({
    'server.mjs': `console.log('hello'); ${untilRead()} console.log('bye');`,
  });
  const end = await plimsoll(['run', '--report', 'out.json', '--', 'node', 'server.mjs'], dir).ended;
  expect(end.code).toBe(0);
  expect(end.stdout).toBe('hello\nbye\n');
  expect(end.stderr).toMatch(
    /^plimsoll: \S+Z run pid \d+, limit .*\nplimsoll: node server\.mjs ran \d+ m?s, exit code 0\.\n {2}limit /,
  );
  expect(end.stderr).toContain('none opened: bytes are known for the whole process only');
  const report = reportOf(dir);
  expect(report).toMatchObject({ target: 'node server.mjs', exit: { code: 0, signal: null } });
  expect(report.readings.last?.rss).toBeGreaterThan(10e6);
  expect(report.limits?.bytes).toBeGreaterThan(100e6);
  expect(statSync(join(dir, '.plimsoll')).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, 'out.json')).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(dir, '.plimsoll'))).toEqual(['ledger']);
});

test.concurrent('a CommonJS program and a TypeScript program run governed', async () => {
  const dir = workFolder({
    'a.cjs': `const { join } = require('node:path'); console.log(join('cjs', 'ran'));`,
    'b.ts': `const text: string = 'ts ran'; console.log(text);`,
    'package.json': '{}',
  });
  expect((await plimsoll(['run', '--', 'node', 'a.cjs'], dir).ended).stdout).toBe('cjs/ran\n');
  expect((await plimsoll(['run', '--', 'node', 'b.ts'], dir).ended).stdout).toBe('ts ran\n');
});

test.concurrent('exit codes pass through, also from process.exit inside a scope', async () => {
  const dir = workFolder({
    'exit.mjs': `import { open } from ${JSON.stringify(coreUrl)}; open('session', '1').run(() => process.exit(7));`,
    'throw.mjs': `throw new Error('boom');`,
  });
  expect((await plimsoll(['run', '--', 'node', 'exit.mjs'], dir).ended).code).toBe(7);
  const thrown = await plimsoll(['run', '--', 'node', 'throw.mjs'], dir).ended;
  expect(thrown.code).toBe(1);
  expect(thrown.stderr).toContain('Error: boom');
});

test.concurrent('SIGTERM reaches the program, and a program ended by a signal gives 128 + its number', async () => {
  const dir = workFolder({
    'polite.mjs': `process.on('SIGTERM', () => { console.log('draining'); process.exit(0); }); console.log('up'); setInterval(() => {}, 1000);`,
    'rude.mjs': `console.log('up'); setInterval(() => {}, 1000);`,
  });
  const polite = plimsoll(['run', '--', 'node', 'polite.mjs'], dir);
  await polite.seen(/up/);
  polite.child.kill('SIGTERM');
  expect(await polite.ended).toMatchObject({ code: 0, stdout: 'up\ndraining\n' });
  const rude = plimsoll(['run', '--', 'node', 'rude.mjs'], dir);
  await rude.seen(/up/);
  rude.child.kill('SIGTERM');
  expect(await rude.ended).toMatchObject({ code: 143 });
  // It could not remove its descriptor and socket itself.
  expect(readdirSync(join(dir, '.plimsoll')).filter((name) => name !== 'ledger')).toEqual([]);
});

test.concurrent('scopes of the program appear in the report', async () => {
  const dir = workFolder({
    'scoped.mjs': `
      import { open } from ${JSON.stringify(coreUrl)};
      for (let i = 0; i < 50; i++) await open('session', String(i)).close();
      // A scope that nothing refers to is closed after a garbage collection.
      const kept = (globalThis.kept = open('session', 'kept', { root: { text: 'x'.repeat(3_000_000).split('') } }));
      kept.charge(1000);
      ${untilRead(2)}`,
  });
  const end = await plimsoll(
    ['run', '--report', 'out.json', '--', 'node', '--conditions=plimsoll-source', 'scoped.mjs'],
    dir,
  ).ended;
  expect(end.code).toBe(0);
  expect(reportOf(dir).readings.kinds.find((each) => each.kind === 'session')).toMatchObject({
    opened: 51,
    open: 1,
  });
  expect(end.stderr).toContain('process/session:kept');
});

test.concurrent('worker threads of the program share its host and do not start one of their own', async () => {
  const dir = workFolder({
    'main.mjs': `
      import { Worker } from 'node:worker_threads';
      const worker = new Worker(new URL('./worker.mjs', import.meta.url));
      worker.on('message', console.log);
      ${untilRead()}`,
    'worker.mjs': `import { parentPort } from 'node:worker_threads'; parentPort.postMessage('from the worker');`,
  });
  const end = await plimsoll(['run', '--report', 'out.json', '--', 'node', 'main.mjs'], dir).ended;
  expect(end).toMatchObject({ code: 0, stdout: 'from the worker\n' });
  expect(readdirSync(join(dir, '.plimsoll'))).toEqual(['ledger']);
});

test.concurrent('a launcher such as npm hands the preload down to its node', async () => {
  const dir = workFolder({
    'package.json': JSON.stringify({ scripts: { start: 'node server.mjs' } }),
    'server.mjs': `console.log('started by npm'); ${untilRead()}`,
  });
  const end = await plimsoll(['run', '--report', 'out.json', '--', 'npm', 'start', '--silent'], dir).ended;
  expect(end.code).toBe(0);
  expect(end.stdout).toContain('started by npm');
  expect(reportOf(dir).readings.last?.rss).toBeGreaterThan(10e6);
});

test.concurrent('a broken policy is refused before the program starts', async () => {
  const dir = workFolder({
    'p.yaml': 'apiVersion: plimsoll/v1\nmodee: observe\n',
    'server.mjs': `console.log('ran');`,
  });
  const end = await plimsoll(['run', '--policy', 'p.yaml', '--', 'node', 'server.mjs'], dir).ended;
  expect(end.code).toBe(1);
  expect(end.stdout).toBe('');
  expect(end.stderr).toMatch(/PLM_POLICY_UNKNOWN_KEY[^]*p\.yaml:2:1/);
});

test.concurrent('a run folder that cannot be made is said, and the program runs without it', async () => {
  const dir = workFolder({ 'server.mjs': `console.log('ran');`, file: 'in the way' });
  const end = await plimsoll(['run', '--dir', 'file/x', '--', 'node', 'server.mjs'], dir).ended;
  expect(end).toMatchObject({ code: 0, stdout: 'ran\n' });
  expect(end.stderr).toContain('PLM_RUN_NO_FOLDER');
});

test.concurrent('a ledger that cannot be written leaves the program alone, and the summary says so', async () => {
  const dir = workFolder({ 'server.mjs': `console.log('ran'); ${untilRead(2)}` });
  mkdirSync(join(dir, '.plimsoll'));
  writeFileSync(join(dir, '.plimsoll/ledger'), 'a file where the ledger folder should be');
  const end = await plimsoll(['run', '--report', 'out.json', '--', 'node', 'server.mjs'], dir).ended;
  expect(end).toMatchObject({ code: 0, stdout: 'ran\n' });
  expect(end.stderr).toContain('PLM_LEDGER');
  expect(reportOf(dir).readings.last?.rss).toBeGreaterThan(10e6);
});

test.concurrent('PLIMSOLL=off switches the preload off', async () => {
  const dir = workFolder({ 'server.mjs': `console.log('ran');` });
  const end = await plimsoll(['run', '--', 'node', 'server.mjs'], dir, { PLIMSOLL: 'off' }).ended;
  expect(end.stdout).toBe('ran\n');
  expect(existsSync(join(dir, '.plimsoll', 'ledger'))).toBe(false);
});

test.concurrent('usage errors say what to do', async ({ expect }) => {
  const dir = workFolder();
  const missing = await plimsoll(['run', '--'], dir).ended;
  expect(missing.code).toBe(1);
  expect(missing.stderr).toContain("missing required argument 'command'");
  const gone = await plimsoll(['run', '--', 'no-such-program'], dir).ended;
  expect(gone.code).toBe(1);
  expect(gone.stderr).toMatchInlineSnapshot(`
    "PLM_CLI_CANNOT_START: "no-such-program" could not be started: ENOENT.
      at:  plimsoll run -- no-such-program
      fix: check the name and that it is on the PATH.
    "
  `);
});

test.concurrent('top shows a running process once, as text and as JSON', async () => {
  const dir = workFolder({ 'server.mjs': `console.log('up'); setInterval(() => {}, 1000);` });
  const run = plimsoll(['run', '--', 'node', 'server.mjs'], dir);
  await run.seen(/up/);
  // The host is loaded after the program's first lines.
  await vi.waitFor(() => expect(readdirSync(join(dir, '.plimsoll')).join()).toContain('.sock'));
  const table = await plimsoll(['top', '--once'], dir).ended;
  expect(table.stdout).toMatch(/^plimsoll top {2}pid \d+ {2}/);
  const json = await plimsoll(['top', '--json'], dir).ended;
  expect(JSON.parse(json.stdout)).toMatchObject({ v: 1, level: 'normal' });
  run.child.kill('SIGTERM');
  await run.ended;
  expect(await plimsoll(['top'], dir).ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('PLM_CLI_NO_PROCESS') as string,
  });
});
