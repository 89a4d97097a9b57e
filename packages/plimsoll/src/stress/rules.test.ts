import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { InjectionRow, PlanRow } from '../report/stress-section.ts';
import { survivor, stressSection } from '../report/report.fixture.ts';
import { routesOf } from './discover.ts';
import { recipeFromOpenApi } from './from-openapi.ts';
import { certainSlope, growthLine } from './growth-line.ts';
import { judgeHypothesis, parseHypothesis } from './hypothesis.ts';
import { Latencies } from './latencies.ts';
import { LoadTally } from './load.ts';
import { Random } from './random.ts';
import { readRecipe } from './recipe.ts';
import type { Recipe } from './recipe.ts';
import { checkSilently } from './silent-checks.ts';
import { judgePlan, judgeStress } from './verdict.ts';
import type { StressEvidence } from './verdict.ts';

const MiB = 1024 ** 2;

function fileOf(name: string, text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'plimsoll-recipe-')), name);
  writeFileSync(file, text);
  return file;
}

const undecided = { verdict: 'undecided', why: 'too few floors.' } as const;
const points = (...bytes: number[]): { work: number; bytes: number }[] =>
  bytes.map((each, i) => ({ work: 100 * i, bytes: each * MiB }));

test('steady growth after full collections is a leak also where the judge is undecided', () => {
  const { verdict, bytesPerCall, why } = judgePlan(undecided, points(30, 32, 34.1, 36, 38, 40.1, 42, 44, 46));
  expect(verdict).toBe('leak');
  expect((bytesPerCall as number) / 1024).toBeCloseTo(20.5, 0);
  expect(why).toContain('20.5 KiB per call over 9 measurements');
});

test('a cache that fills is no leak', () => {
  expect(judgePlan(undecided, points(30, 36, 40, 42, 43, 43.4, 43.5, 43.5, 43.5)).verdict).toBe('undecided');
  expect(
    judgePlan({ verdict: 'clean', why: 'it ended.' }, points(30, 36, 40, 42, 43, 43.4, 43.5, 43.5)).verdict,
  ).toBe('clean');
});

test('memory that stays or falls is clean, and the judge of the process comes first', () => {
  expect(judgePlan(undecided, points(32, 31, 30.5, 30.4, 30.6, 30.5)).verdict).toBe('clean');
  expect(judgePlan(undecided, points(30, 30.2)).verdict).toBe('undecided');
  const named = judgePlan({ verdict: 'leak', why: 'Session 0 → 159.' }, points(32, 31, 30.5, 30.4, 30.6));
  expect(named.verdict).toBe('leak');
  expect(named.why).toContain('Session 0 → 159.');
});

test('a line through noise is not certain', () => {
  const random = new Random(3);
  let accused = 0;
  for (let run = 0; run < 200; run++) {
    const noisy = Array.from({ length: 9 }, (_, i) => ({
      work: i * 100,
      bytes: 30 * MiB + random.next() * MiB,
    }));
    const line = growthLine(noisy);
    if (line !== null && certainSlope(line) * 800 > 0) accused++;
  }
  expect(accused).toBeLessThan(10);
});

const plan = {
  ...(stressSection.plans[0] as PlanRow),
  verdict: 'clean' as const,
  errors: 0,
  hasDied: false,
  faults: new Map<string, number>(),
};
const evidence: StressEvidence = {
  plans: [plan],
  injections: [],
  checks: [],
  hypotheses: [],
  findings: [],
  isInterrupted: false,
};
const injected = (outcome: InjectionRow['outcome'], note: string): InjectionRow => ({
  plan: 'chaos',
  name: 'disk full',
  what: '',
  happened: 3,
  proof: '',
  outcome,
  note,
});

test('the verdict on a whole run', () => {
  const of = (changes: Partial<StressEvidence>): string => judgeStress({ ...evidence, ...changes }).verdict;
  expect(of({})).toBe('PASS');
  expect(
    of({ injections: [injected('held', 'it works afterwards'), injected('not reached', 'no file')] }),
  ).toBe('PASS');
  expect(of({ injections: [injected('hurt', 'POST / answered 500 to add(4822)')] })).toBe(
    'PASS WITH CONCERNS',
  );
  expect(of({ injections: [injected('hurt', 'the process ended')] })).toBe('FAIL');
  expect(of({ plans: [{ ...plan, verdict: 'undecided' }] })).toBe('PASS WITH CONCERNS');
  expect(of({ isInterrupted: true })).toBe('PASS WITH CONCERNS');
  expect(of({ plans: [{ ...plan, hasDied: true }] })).toBe('FAIL');
  expect(of({ plans: [{ ...plan, errors: plan.calls / 10 }] })).toBe('FAIL');
  expect(of({ plans: [{ ...plan, plan: 'stress', errors: plan.calls / 10 }] })).toBe('PASS WITH CONCERNS');
  expect(of({ checks: [{ kind: 'golden', name: 'GET /', outcome: 'failed', text: 'other' }] })).toBe('FAIL');
  expect(of({ hypotheses: [{ id: 'h1', text: '', outcome: 'rejected', measured: '3 KiB' }] })).toBe('FAIL');
  const leak = judgeStress({
    ...evidence,
    plans: [{ ...plan, verdict: 'leak', why: 'it grew.' }],
    findings: [survivor],
  });
  expect(leak.verdict).toBe('FAIL');
  expect(leak.reasons[0]).toContain(survivor.fix);
});

test('hypotheses are sentences with a quantity and a bound', () => {
  const judge = (text: string, changes: Partial<PlanRow> = {}): string => {
    const { outcome, measured } = judgeHypothesis(parseHypothesis('h1', text), [{ ...plan, ...changes }]);
    return `${outcome}, ${measured}`;
  };
  expect(judge('bytes per turn stay below 2 KiB')).toBe('rejected, 2.1 KiB');
  expect(judge('bytes per turn stay below 2 KiB', { bytesPerCall: -300 })).toBe('confirmed, -300 B');
  expect(judge('peak stays below 200 MiB')).toBe('confirmed, 120.0 MiB');
  expect(judge('errors stay below 1 %', { errors: 40 })).toBe('rejected, 2.0 %');
  expect(judge('the p99 is at most 100ms')).toBe('confirmed, 80 ms');
  expect(judge('reclaimed stays above 50 %')).toBe('rejected, 40.0 %');
  expect(judge('bytes per call stay below 2KiB', { bytesPerCall: null })).toBe(
    'undecided, it was not measured',
  );
  expect(judge('bytes per session stay below 1 MiB', { bytesPerSession: 5 })).toBe('confirmed, 5 B');
  expect(judge('live memory stays below 1 MiB', { endBytes: 2 * MiB })).toBe('rejected, 2.0 MiB');
  expect(judge('the p50 is at most 1s', { p50Ms: 4 })).toBe('confirmed, 4 ms');
  expect(judge('failed calls stay below 3', { errors: 40 })).toBe('rejected, 40');
  expect(judge('growth stays below 1 MiB', { startBytes: 0, endBytes: 9 })).toBe('confirmed, 9 B');
  expect(() => parseHypothesis('h1', 'failed calls stay below many')).toThrow('failed calls');
  expect(() => parseHypothesis('h1', 'it is fast')).toThrow(/PLM_STRESS_BAD_HYPOTHESIS|is not understood/);
});

test('a recipe is read, and a fault names its line', async () => {
  const recipe = await readRecipe(
    fileOf(
      'stress.yaml',
      'limit: 128MiB\nfor: 30s\nsessions:\n  - name: user\n    steps:\n      - post: /sessions\n        body: { agent: a }\n        expect: 201\n        save: { id: data.id }\n      - get: /sessions/{id}\n        repeat: 3\nstate:\n  - get: /healthz\n    field: sessions\nhypotheses:\n  h1: growth stays below 1 MiB\n',
    ),
  );
  expect(recipe.limitBytes).toBe(128 * MiB);
  expect(recipe.forMs).toBe(30_000);
  expect(recipe.sessions[0]?.steps[0]).toMatchObject({
    method: 'POST',
    path: '/sessions',
    statuses: [201],
    save: { id: 'data.id' },
  });
  expect(recipe.sessions[0]?.steps[1]?.repeat).toBe(3);
  expect(recipe.state[0]).toMatchObject({ field: 'sessions', equals: null });
  const fault = await readRecipe(
    fileOf('x.yaml', 'sessions:\n  - name: a\n    steps:\n      - fetch: /\n'),
  ).catch(String);
  expect(fault).toMatchInlineSnapshot(
    `
    "PLM_STRESS_BAD_RECIPE: sessions.0.steps.0: a step needs a method.
      at:  FILE:4
      fix: write it as one of get, post, put, patch, delete, head, options, e.g. "- get: /healthz"."
  `.replace('FILE', (fault as string).match(/at: {2}(.+):4/)?.[1] ?? ''),
  );
  await expect(readRecipe(fileOf('y.yaml', 'session: []\n'))).rejects.toThrow('"session" is not known here');
});

test.each([
  ['sessions:\n  - name: a\n', 'a session needs steps'],
  ['sessions: 5\n', 'this has to be a list'],
  ['sessions: [5]\n', 'this has to be a map of keys'],
  ['sessions:\n  - name: [a]\n    steps:\n      - get: /\n', 'this has to be a text'],
  ['sessions: [\n', 'PLM_STRESS_BAD_RECIPE'],
])('a recipe %j is refused: %s', async (text, why) => {
  expect(await readRecipe(fileOf('r.yaml', text)).catch(String)).toContain(why);
});

test('what is no file is no recipe, and an OpenAPI file is told by its content', async () => {
  expect(await readRecipe('/nowhere/r.yaml').catch(String)).toContain('name a file that can be read');
  const recipe = await readRecipe(fileOf('api.yaml', 'openapi: 3.1.0\npaths:\n  /items:\n    get: {}\n'));
  expect(recipe.sessions[0]?.steps.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /items']);
});

test('an OpenAPI document becomes calls with examples', () => {
  const recipe = recipeFromOpenApi(
    {
      openapi: '3.1.0',
      servers: [{ url: 'http://localhost:3000/v1' }],
      components: {
        schemas: {
          New: {
            type: 'object',
            properties: { name: { type: 'string', example: 'Ada' }, age: { type: 'integer', minimum: 3 } },
          },
        },
      },
      paths: {
        '/users': {
          get: { parameters: [{ in: 'query', name: 'page', required: true, schema: { type: 'integer' } }] },
          post: {
            requestBody: {
              content: { 'application/json': { schema: { $ref: '#/components/schemas/New' } } },
            },
          },
        },
        '/users/{id}': { get: { parameters: [{ in: 'path', name: 'id', example: 7 }] }, delete: {} },
        '/files/{name}': { get: {} },
      },
    },
    'openapi.json',
  );
  expect(recipe.sessions.map(({ steps: [first] }) => [first?.method, first?.path, first?.body])).toEqual([
    ['GET', '/v1/users?page=1', undefined],
    ['POST', '/v1/users', { name: 'Ada', age: 3 }],
    ['GET', '/v1/users/7', undefined],
  ]);
  expect(recipe.notTried).toHaveLength(2);
});

test('a HAR becomes one session to the host that most requests went to, without credentials', async () => {
  const entry = (url: string, method = 'GET'): unknown => ({
    request: {
      url,
      method,
      headers: [
        { name: 'Cookie', value: 'secret' },
        { name: 'Accept', value: 'text/html' },
      ],
      ...(method === 'POST' && { postData: { text: '{"a":1}' } }),
    },
    response: { status: 200 },
  });
  const har = {
    log: {
      entries: [entry('http://a.test/x?y=1'), entry('http://a.test/save', 'POST'), entry('http://ads.test/')],
    },
  };
  const recipe = await readRecipe(fileOf('rec.har', JSON.stringify(har)));
  expect(recipe.sessions[0]?.steps).toMatchObject([
    { method: 'GET', path: '/x?y=1', headers: { accept: 'text/html' } },
    { method: 'POST', path: '/save', body: '{"a":1}' },
  ]);
  expect(JSON.stringify(recipe)).not.toContain('secret');
  expect(recipe.notTried[0]).toContain('1 recorded requests to other hosts');
});

test('routes are read from the source of a program and the files it imports', () => {
  const file = fileOf(
    'server.js',
    "import './more.js';\napp.get('/users', h);\nrouter.post(\"/users/:id\", h);\nif (url.pathname === '/healthz') ok();\n",
  );
  writeFileSync(join(file, '../more.js'), "app.delete('/users/:id', h)\n");
  expect(routesOf(file).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /users',
    'POST /users/:id',
    'GET /healthz',
    'DELETE /users/:id',
  ]);
});

test('silent failures are other answers, state left behind, counters that stand, effects that are missing', async () => {
  const recipe = await readRecipe(
    fileOf(
      's.yaml',
      'golden:\n  - get: /a\n    equals: ok\nstate:\n  - get: /b\n    field: n\nmetrics:\n  - get: /m\n    field: total\neffects:\n  - get: /e\n    field: saved\n    per: session\n',
    ),
  );
  const tally = new LoadTally();
  tally.calls = 20;
  tally.sessions = 10;
  const before = { golden: ['ok'], state: [0], metrics: [5], effects: [100] };
  const outcomes = (after: typeof before, other: Recipe = recipe): string[] =>
    checkSilently(other, before, after, tally).map(({ kind, outcome }) => `${kind} ${outcome}`);
  expect(outcomes({ golden: ['ok'], state: [0], metrics: [25], effects: [110] })).toEqual([
    'golden ok',
    'state ok',
    'metric ok',
    'effect ok',
  ]);
  expect(outcomes({ golden: ['OK'], state: [4], metrics: [5], effects: [108] })).toEqual([
    'golden failed',
    'state failed',
    'metric failed',
    'effect failed',
  ]);
});

test('durations are kept in a few buckets, within 5 %', () => {
  const latencies = new Latencies();
  for (let i = 1; i <= 1000; i++) latencies.add(i);
  expect(latencies.quantile(0.5)).toBeGreaterThan(470);
  expect(latencies.quantile(0.5)).toBeLessThan(530);
  expect(latencies.quantile(0.99)).toBeGreaterThan(930);
  expect(new Latencies().quantile(0.5)).toBe(null);
});
