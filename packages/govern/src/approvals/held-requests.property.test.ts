import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Level } from '@plimsoll/core/internal/level';
import { levels } from '@plimsoll/core/internal/level';
import type { Approved } from '@plimsoll/core/internal/gate/approval';
import { approval } from '@plimsoll/core';
import { ApprovalRefusal } from '@plimsoll/core/internal/gate/approval-refusal';
import { HeldRig } from './held.fixture.ts';

/** What a random program does, and what happens around it. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('delegate' as const),
      depth: fc.integer({ min: 1, max: 12 }),
      name: fc.constantFrom('a', 'b', 'c'),
      waitMs: fc.constantFrom(1000, 30_000, 300_000),
      abortable: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('operate' as const),
      critical: fc.boolean(),
      name: fc.constantFrom('export', 'load'),
      bytes: fc.constantFrom(0, 1000, 400_000),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('decide' as const), yes: fc.boolean(), pick: fc.nat(50) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.integer({ min: 1, max: 90_000 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('level' as const), level: fc.constantFrom<Level>(...levels) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('policy' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('abort' as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

let needed = 0;
let passed = 0;
let refusedCount = 0;

async function live(steps: readonly Step[]): Promise<void> {
  using rig = new HeldRig();
  const used = new Set<string>();
  const waiting: Promise<void>[] = [];
  let open = 0;
  let cancel = new AbortController();
  /** Goes on only as the rule allows; the built-in one: deeper than 4, critical, or at critical level. */
  const attempt = (asked: Promise<Approved>, isNeeded: boolean, isByLevel: boolean): void => {
    open++;
    if (isNeeded) needed++;
    waiting.push(
      asked
        .then((leave) => {
          if (leave.state === 'approved') {
            passed++;
            expect(isNeeded).toBe(true);
            expect(used.has(leave.id as string)).toBe(false);
            used.add(leave.id as string);
            expect(rig.desk.row(leave.id as string)).toMatchObject({ state: 'approved' });
            return;
          }
          expect(leave.state).toBe('not-needed');
          // Without an approval only what needs none, or none any more.
          if (isNeeded) expect([isByLevel, levels.indexOf(rig.level) < 2]).toEqual([true, true]);
        })
        .catch((error: unknown) => {
          expect(error).toBeInstanceOf(ApprovalRefusal);
          expect(isNeeded).toBe(true);
          refusedCount++;
        })
        .finally(() => open--),
    );
  };
  let revision = 100;
  for (const each of steps) {
    if (each.kind === 'delegate') {
      const signal = each.abortable ? cancel.signal : undefined;
      attempt(approval('delegation', { ...each, signal }), each.depth > 4, false);
    } else if (each.kind === 'operate') {
      const isByLevel = !each.critical && levels.indexOf(rig.level) >= 2;
      attempt(approval('operation', each), each.critical || isByLevel, isByLevel);
    } else if (each.kind === 'decide') {
      const rows = rig.open();
      const row = rows[each.pick % Math.max(1, rows.length)];
      if (row !== undefined) rig.decide(each.yes ? 'approve' : 'deny', row.id);
    } else if (each.kind === 'time') rig.clock.advance(each.ms);
    else if (each.kind === 'level') rig.setLevel(each.level);
    else if (each.kind === 'policy') rig.setPolicy({ revision: revision++ });
    else {
      cancel.abort(new Error('client went away'));
      cancel = new AbortController();
    }
    for (let i = 0; i < 6; i++) await Promise.resolve();
    expect(rig.held.held.count).toBeLessThanOrEqual(64);
    expect(rig.held.held.bytes).toBeLessThanOrEqual(1024 ** 2);
    // Everything that waits is waited for, and the other way round.
    expect(rig.held.held.count).toBe(open);
  }
  rig.clock.advance(400_000);
  await Promise.all(waiting);
  expect(open).toBe(0);
  expect(rig.held.held).toEqual({ count: 0, bytes: 0 });
}

test('every delegation deeper than 4 and every critical operation goes on only with an approval of its own', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), live), {
    seed: 816,
    numRuns: 400,
  });
}, 120_000);

afterAll(() => {
  expect(needed).toBeGreaterThan(3000);
  expect(passed).toBeGreaterThan(300);
  expect(refusedCount).toBeGreaterThan(300);
});
