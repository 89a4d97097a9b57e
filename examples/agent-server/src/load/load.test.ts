import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { seeded } from '../random.ts';
import { Load } from './load.ts';
import type { LoadOptions } from './load.ts';
import { planSession } from './session-plan.ts';

const shape = { thinkMs: 1000, abandonRatio: 0.2 };

test('plans follow from the seed', () => {
  expect(planSession(seeded(5), shape)).toEqual(planSession(seeded(5), shape));
  expect(planSession(seeded(5), shape)).not.toEqual(planSession(seeded(6), shape));
});

test('plans have the asked shape: mostly short, some long, a fifth abandoned', () => {
  const plans = Array.from({ length: 4000 }, (_, seed) => planSession(seeded(seed), shape));
  const turns = plans.map((plan) => plan.turns.length);
  const thinks = plans.flatMap((plan) => plan.turns.map((turn) => turn.thinkMs));
  const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
  expect(mean(turns)).toBeGreaterThan(3.5);
  expect(mean(turns)).toBeLessThan(4.5);
  expect(Math.max(...turns)).toBeGreaterThan(15);
  expect(mean(thinks)).toBeGreaterThan(900);
  expect(mean(thinks)).toBeLessThan(1100);
  expect(mean(plans.map((plan) => Number(plan.abandons)))).toBeCloseTo(0.2, 1);
});

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server that only counts: the load generator is tested without ours. */
async function counting(status = 200): Promise<{ base: string; calls: Map<string, number> }> {
  const calls = new Map<string, number>();
  server = createServer((request, response) => {
    const key = `${request.method} ${(request.url ?? '').replaceAll(/\d+/g, 'n')}`;
    calls.set(key, (calls.get(key) ?? 0) + 1);
    request.resume();
    response.writeHead(status, { 'x-run': '1' });
    if (request.method === 'POST' && request.url === '/sessions') response.end('{"id":"1"}');
    else response.end('x'.repeat(1000));
  });
  server.listen(0, '127.0.0.1');
  await new Promise((done) => server?.once('listening', done));
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

const fast: LoadOptions = { seed: 1, users: 4, thinkMs: 0, ratePerSecond: 0, abandonRatio: 0.25 };

test('the asked number of sessions is run to the end, abandoned ones are not closed', async () => {
  const { base, calls } = await counting();
  const summary = await new Load(base, { ...fast, sessions: 40 }).run();
  const plans = calls.get('POST /sessions') as number;
  expect(summary).toMatchObject({ sessions: 40, errors: 0 });
  expect(plans).toBe(40);
  const closed = calls.get('DELETE /sessions/n') as number;
  expect(closed).toBeLessThan(40);
  expect(calls.get('POST /sessions/n/turns')).toBe(summary.turns + (40 - closed));
  expect(calls.get('GET /sessions/n/runs/n/stream')).toBeGreaterThan(0);
  expect(summary.turnMs.p99).toBeGreaterThanOrEqual(summary.turnMs.p50);
});

test('failures are counted and the first is told', async () => {
  const { base } = await counting(503);
  const summary = await new Load(base, { ...fast, users: 1, sessions: 2 }).run();
  expect(summary).toMatchObject({ sessions: 0, errors: 2 });
  expect(summary.firstError).toContain('POST /sessions: 503');
});

test('a rate bounds the new sessions', async () => {
  const { base } = await counting();
  const summary = await new Load(base, { ...fast, sessions: 6, ratePerSecond: 50 }).run();
  expect(summary.sessions).toBe(6);
  expect(summary.seconds).toBeGreaterThan(0.1);
});

test('a duration ends the load in the middle of a pause', async () => {
  const { base } = await counting();
  const summary = await new Load(base, { ...fast, thinkMs: 600_000, durationMs: 50 }).run();
  expect(summary.errors).toBe(0);
  expect(summary.seconds).toBeLessThan(10);
});
