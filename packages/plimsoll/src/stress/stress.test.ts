import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestIo } from '../io.fixture.ts';
import type { Report } from '../run/report.ts';
import { readRecipe } from './recipe.ts';
import { stress } from './stress.ts';
import type { StressOptions } from './stress.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'plimsoll-stress-test-'));

/** Leaks 200 KB per call of /work, and meets every fault that can be put into a process. */
const program = `
const http = require('node:http'), fs = require('node:fs'), path = require('node:path'), { spawn } = require('node:child_process');
const kept = [];
let child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
const other = http.createServer((q, r) => r.end('other')).listen(0, '127.0.0.1');
http.createServer(async (request, response) => {
  if (request.url === '/healthz') return response.end(JSON.stringify({ status: 'ok', kept: kept.length }));
  if (request.url !== '/work') return response.writeHead(404).end();
  let body = '';
  for await (const chunk of request) body += chunk;
  if (process.env.LEAK === '1') kept.push({ rows: Array.from({ length: 2500 }, (_, i) => ({ i, text: 'row ' + i })) });
  try { fs.writeFileSync(path.join(__dirname, 'out.txt'), String(Date.now())); } catch {}
  await new Promise((resolve) => setTimeout(resolve, 2));
  try { await (await fetch('http://127.0.0.1:' + other.address().port)).text(); } catch {}
  try { JSON.parse(body || '{}'); } catch { return response.writeHead(request.headers.strict ? 500 : 400).end(); }
  response.write('a'); setTimeout(() => response.end('b'.repeat(100)), Number(process.env.REST_MS));
}).listen(Number(process.env.PORT), '127.0.0.1');
process.on('exit', () => child.kill('SIGKILL'));
process.on('SIGTERM', () => process.exit(0));
`;

const recipeText = `
sessions:
  - steps:
      - post: /work
        body: { text: "{text}" }
        expect: 200
golden:
  - get: /healthz
    field: status
    equals: ok
state:
  - get: /healthz
    field: kept
hypotheses:
  h1: bytes per call stay below 20 KiB
`;

async function optionsOf(
  changes: Partial<StressOptions> & { readonly leak?: boolean } = {},
): Promise<StressOptions> {
  const dir = folder();
  writeFileSync(join(dir, 'server.cjs'), program);
  writeFileSync(join(dir, 'stress.yaml'), recipeText);
  return {
    subject: { kind: 'server', command: ['node', 'server.cjs'], url: null },
    plans: ['baseline'],
    recipe: await readRecipe(join(dir, 'stress.yaml')),
    seed: 1,
    forMs: 2000,
    limitBytes: 512 * 1024 ** 2,
    // The rules are tested here; who holds what is the business of the proof and tested there.
    isProved: false,
    cwd: dir,
    dir: join(dir, '.plimsoll'),
    env: {
      ...process.env,
      NODE_V8_COVERAGE: undefined,
      LEAK: changes.leak === true ? '1' : '0',
      REST_MS: '3',
    },
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...changes,
  };
}

function section(report: Report): NonNullable<Report['stress']> {
  if (report.stress === undefined) throw new Error('the report has no stress section');
  return report.stress;
}

test('a server that leaks fails, with its state and its hypothesis', async () => {
  const report = await stress(await optionsOf({ leak: true }));
  const { verdict, reasons, plans, checks, hypotheses } = section(report);
  expect([verdict, reasons.length > 1]).toEqual(['FAIL', true]);
  expect(plans[0]?.verdict).toBe('leak');
  expect(plans[0]?.bytesPerCall).toBeGreaterThan(60_000);
  expect(checks.map(({ kind, outcome }) => [kind, outcome])).toEqual([
    ['golden', 'ok'],
    ['state', 'failed'],
  ]);
  expect(hypotheses[0]?.outcome).toBe('rejected');
});

test('every fault is counted where it takes effect, and a server that copes passes', async () => {
  const options = await optionsOf({ plans: ['chaos'], forMs: 4000 });
  // Beside other tests a client reads both halves of an answer at once when they are 3 ms apart.
  const report = await stress({ ...options, env: { ...options.env, REST_MS: '100' } });
  const { injections, plans } = section(report);
  const happened = Object.fromEntries(injections.map(({ name, happened: times }) => [name, times > 0]));
  expect(happened).toEqual({
    'client leaves': true,
    'slow reader': true,
    'abandoned reader': expect.any(Boolean) as boolean,
    'malformed bodies': true,
    'broken requests': true,
    'event flood': true,
    'disk full': true,
    'clock goes forward': true,
    'clock goes back': true,
    'calls throw': true,
    'calls hang': true,
    'calls are slow': true,
    'stages are slow': true,
    'child killed': true,
  });
  expect(injections.filter(({ outcome }) => outcome === 'hurt')).toEqual([]);
  expect(plans[0]?.plan).toBe('chaos');
});

test('a module is called again and again, and a stop in the middle still reports', async () => {
  const dir = folder();
  writeFileSync(
    join(dir, 'iterate.mjs'),
    'const kept = [];\nexport async function iterate({ input }) { kept.push(input, Array.from({ length: 300 }, (_, i) => ({ i }))); await new Promise((resolve) => setTimeout(resolve, 4)); }\n',
  );
  const stop = new AbortController();
  const report = await stress(
    await optionsOf({
      subject: { kind: 'module', file: join(dir, 'iterate.mjs') },
      recipe: undefined,
      plans: ['baseline', 'stress'],
      cwd: dir,
      dir: join(dir, '.plimsoll'),
      signal: stop.signal,
      onProgress: (plan, what) => {
        if (plan === 'stress' && what !== 'warming up') stop.abort();
      },
    }),
  );
  const { plans, isInterrupted, checks, verdict } = section(report);
  expect(plans.map(({ plan }) => plan)).toEqual(['baseline', 'stress']);
  expect(isInterrupted).toBe(true);
  expect(checks[0]).toMatchObject({ name: 'inputs are let go', outcome: 'failed' });
  expect(verdict).toBe('FAIL');
});

test('without a recipe the routes that answer are found, and what was not tried is said', async () => {
  const dir = folder();
  writeFileSync(
    join(dir, 'server.cjs'),
    "const http = require('node:http');\nhttp.createServer((q, r) => { const url = q.url; if (url === '/users' || url === '/healthz') r.end('ok'); else r.writeHead(404).end(); }).listen(process.env.PORT);\n// app.post('/users/:id')\n",
  );
  const io = new TestIo(dir);
  expect(
    await io.plimsoll(
      'stress',
      '--for',
      '1s',
      '--no-proof',
      '--report',
      'out.json',
      '--',
      'node',
      'server.cjs',
    ),
  ).toBe(0);
  const { calls, notTried } = section(JSON.parse(readFileSync(join(dir, 'out.json'), 'utf8')) as Report);
  expect(calls.map(({ call }) => call).toSorted()).toEqual(['GET /healthz', 'GET /users']);
  expect(notTried.join('\n')).toContain('POST /users/:id');
  writeFileSync(join(dir, 'broken.cjs'), "throw new Error('no database')\n");
  expect(await io.plimsoll('stress', '--', 'node', 'broken.cjs')).toBe(1);
  expect(io.err).toContain('PLM_STRESS_NOT_READY');
  expect(io.err).toContain('no database');
  expect(await io.plimsoll('stress', '--plan', 'havoc', '--', 'node', 'server.cjs')).toBe(1);
});
