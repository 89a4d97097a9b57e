import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { HttpClient } from './http-client.ts';
import { runLoad } from './load.ts';
import { Random } from './random.ts';
import { readRecipe } from './recipe.ts';
import type { Recipe } from './recipe.ts';
import { probeAll } from './silent-checks.ts';
import { isRising } from './verdict.ts';

const seen: string[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => {
    seen.push(`${request.method} ${request.url} ${body}`);
    if (request.url === '/metrics')
      return response.end('# calls\ncalls{route="a"} 3\ncalls{route="b"} 4\ncalls_failed 9\n');
    if (request.url === '/busy') return response.writeHead(503).end();
    if (request.url === '/broken') return response.writeHead(500).end();
    return response.writeHead(201, { 'x-turn': 't7' }).end('{"data":{"id":5}}');
  });
});
let client: HttpClient;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await vi.waitFor(() => expect(server.listening).toBe(true));
  client = new HttpClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 2);
});
afterAll(() => {
  client[Symbol.dispose]();
  server.close();
});

function recipeOf(text: string): Promise<Recipe> {
  const file = join(mkdtempSync(join(tmpdir(), 'plimsoll-load-')), 'stress.yaml');
  writeFileSync(file, text);
  return readRecipe(file);
}

test('a session hands values of its answers on, and each kind of failure is counted', async () => {
  const { sessions } = await recipeOf(`sessions:
  - name: user
    steps:
      - post: /sessions
        body: { text: "{text}", list: ["{text}"] }
        expect: 201
        save: { id: data.id, turn: header.X-Turn }
      - get: /sessions/{id}/{turn}
      - get: /busy
  - name: broken
    steps:
      - get: /broken
  - name: lost
    steps:
      - get: /never/{saved}
`);
  const load = (plan: number): ReturnType<typeof runLoad> =>
    runLoad({
      client,
      sessions: sessions.slice(plan, plan + 1),
      random: new Random(1),
      parallel: 1,
      forMs: 60_000,
      mostSessions: 2,
      textBytes: 4,
      signal: new AbortController().signal,
    });
  const user = await load(0);
  expect([user.sessions, user.calls, user.refused, user.errors]).toEqual([2, 6, 2, 0]);
  expect(seen[0]).toMatch(/^POST \/sessions \{"text":".{4}","list":\[".{4}"\]\}$/);
  expect(seen[1]).toBe('GET /sessions/5/t7 ');
  const broken = await load(1);
  expect([broken.errors, [...broken.faults]]).toEqual([2, [['GET /broken: status 500', 2]]]);
  // A step whose value was never saved is not called.
  expect((await load(2)).calls).toBe(0);
  expect(
    (
      await runLoad({
        client,
        sessions: [],
        random: new Random(1),
        parallel: 1,
        forMs: 1,
        signal: new AbortController().signal,
      })
    ).calls,
  ).toBe(0);
});

test('a probe reads JSON, text and the sum of a metric, and nothing from an error', async () => {
  const recipe = await recipeOf(
    'golden:\n  - get: /a\nstate:\n  - get: /a\n    field: data.id\nmetrics:\n  - get: /metrics\n    field: calls\n  - get: /metrics\n    field: none\neffects:\n  - get: /broken\n    field: saved\n',
  );
  expect(await probeAll(client, recipe)).toEqual({
    golden: [{ data: { id: 5 } }],
    state: [5],
    metrics: [7, undefined],
    effects: [undefined],
  });
});

test('memory that is higher at each of three measurements calls for a snapshot', () => {
  const points = (...mib: number[]): { work: number; bytes: number }[] =>
    mib.map((each, i) => ({ work: i, bytes: each * 1024 ** 2 }));
  expect(isRising(points(30, 31))).toBe(false);
  expect(isRising(points(30, 33, 36))).toBe(true);
  expect(isRising(points(30, 33, 32))).toBe(false);
  expect(isRising(points(30, 30.001, 30.002))).toBe(false);
});
