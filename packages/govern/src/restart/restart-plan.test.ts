import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RestartRequest } from '@plimsoll/core/internal/gate/drain-hooks';
import type { RestartFacts } from './restart-plan.ts';
import { planRestart } from './restart-plan.ts';

const hour = 3_600_000;
const now = Date.UTC(2026, 10, 15, 10);
const order: RestartRequest = {
  drainMs: 30_000,
  jitterMs: 60_000,
  atMost: { count: 3, perMs: hour },
  reason: 'the heap stays at 96 % of its limit',
  scope: 'process',
  level: 'emergency',
};
const facts: RestartFacts = {
  now,
  uptimeMs: 600_000,
  restarts: [],
  handovers: [],
  mayHandOver: false,
  random: 0.5,
};

test('a plan gives work its time, then parking, and has an end', () => {
  expect(planRestart(order, facts)).toEqual({
    verdict: 'go',
    drainInMs: 30_000,
    drainMs: 30_000,
    parkMs: 15_000,
    exitInMs: 76_000,
  });
  expect(planRestart({ ...order, drainMs: 100, jitterMs: -5 }, facts)).toMatchObject({
    drainInMs: 0,
    parkMs: 2000,
  });
});

test('a process that has hardly begun is not restarted', () => {
  expect(planRestart(order, { ...facts, uptimeMs: 4000 })).toEqual({
    verdict: 'refused',
    why: 'it has run for 4 s of the 1 m that a restart needs, because it would soon be full again',
  });
  expect(planRestart({ ...order, minUptimeMs: 1000 }, { ...facts, uptimeMs: 4000 }).verdict).toBe('go');
});

test('no more restarts than the period allows, counted over all lives', () => {
  const restarts = [now - 2 * hour, now - 50 * 60_000, now - 20 * 60_000];
  expect(planRestart(order, { ...facts, restarts }).verdict).toBe('go');
  expect(planRestart(order, { ...facts, restarts: [...restarts, now - 1] })).toEqual({
    verdict: 'refused',
    why: '3 restarts lately and the most is 3 per 1 h: a person has to look',
  });
});

test('a process that is about to die ends in order, also when the restarts are used up or it has hardly begun', () => {
  const restarts = [now - 3, now - 2, now - 1];
  expect(planRestart(order, { ...facts, restarts, endsInMs: 12_000 })).toEqual({
    verdict: 'go',
    drainInMs: 0,
    drainMs: 5000,
    parkMs: 2500,
    exitInMs: 8500,
    despite: '3 restarts lately and the most is 3 per 1 h: a person has to look',
  });
  expect(planRestart(order, { ...facts, uptimeMs: 4000, endsInMs: 0 })).toMatchObject({
    verdict: 'go',
    despite: expect.stringContaining('it has run for 4 s'),
  });
  expect(planRestart(order, { ...facts, restarts, endsInMs: 60_000 }).verdict).toBe('refused');
  expect(planRestart(order, { ...facts, endsInMs: 0 })).not.toHaveProperty('despite');
});

test('a wall clock that was set back does not forget, one that was far ahead does not block for years', () => {
  const ahead = [now + 10, now + 20, now + 30];
  expect(planRestart(order, { ...facts, restarts: ahead }).verdict).toBe('refused');
  const farAhead = ahead.map((at) => at + 1000 * hour);
  expect(planRestart(order, { ...facts, restarts: farAhead }).verdict).toBe('go');
});

test('over random histories there are never more than the bound within a period', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1000, max: 1_800_000 }), { maxLength: 200 }),
      fc.integer({ min: 1, max: 5 }),
      (gaps, count) => {
        const begun: number[] = [];
        let at = now;
        for (const gap of gaps) {
          at += gap;
          const plan = planRestart(
            { ...order, atMost: { count, perMs: hour } },
            { ...facts, now: at, uptimeMs: gap, restarts: begun, random: 0 },
          );
          if (plan.verdict === 'go') begun.push(at);
        }
        for (const [i, time] of begun.entries())
          expect(begun[i + count] === undefined || (begun[i + count] as number) - time >= hour).toBe(true);
      },
    ),
  );
});

test('a restart that nobody notices has bounds of its own and no jitter', () => {
  const able = { ...facts, uptimeMs: 20_000, mayHandOver: true };
  expect(planRestart(order, able)).toMatchObject({
    verdict: 'go',
    drainInMs: 0,
    onlyHandedOver: expect.stringContaining('it has run for 20 s of the 1 m'),
  });
  const often = { ...facts, restarts: [now - 3, now - 2, now - 1], mayHandOver: true };
  expect(planRestart(order, often)).toMatchObject({
    verdict: 'go',
    onlyHandedOver: expect.stringContaining('3 per 1 h'),
  });
  expect(planRestart(order, { ...facts, mayHandOver: true })).not.toHaveProperty('onlyHandedOver');
});

test.each([
  ['it has hardly begun', order, { uptimeMs: 9000 }],
  ['the end comes before the next life is up', order, { endsInMs: 4000 }],
  ['the policy wants no second life', { ...order, overlapBytes: 0 }, {}],
  [
    'there were too many',
    { ...order, handovers: { count: 2, perMs: hour } },
    { handovers: [now - 2, now - 1] },
  ],
])('the bounds of every restart hold when %s', (_why, asked, changes) => {
  const able = { ...facts, uptimeMs: 20_000, mayHandOver: true };
  expect(planRestart({ ...asked, minUptimeMs: 60_000 }, { ...able, ...changes })).not.toHaveProperty(
    'onlyHandedOver',
  );
});
