import fc from 'fast-check';
import { ApprovalDesk } from '@plimsoll/govern/internal/approvals/approval-desk';
import { HeldRequests } from '@plimsoll/govern/internal/approvals/held-requests';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import { installHeldGate } from '@plimsoll/core/internal/gate/approval';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import { afterAll, beforeEach, afterEach, describe, expect, test } from 'vitest';
import { DelegationBreaker } from './delegation-breaker.ts';
import type { DelegationDenied } from './events.ts';

let policy: Policy;
let desk: ApprovalDesk;
let held: HeldRequests;
let uninstall: () => void;

beforeEach(() => {
  policy = { ...builtInPolicy, mode: 'enforce' };
  desk = new ApprovalDesk({ policy });
  held = new HeldRequests({ desk, policy: () => policy, level: () => 'normal' });
  uninstall = installHeldGate(held);
});

afterEach(() => {
  desk.close();
  held.close();
  uninstall();
});

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

function decide(decision: 'approve' | 'deny'): void {
  const row = desk.rows(1)[0];
  expect(row?.state).toBe('open');
  if (row === undefined) return;
  const { id, digest } = row;
  desk.decide({ id, digest, decision, by: 'user:ada', groups: [], isOwner: true, channel: 'cli' });
}

/** Delegates down to a depth; each level is another agent. */
function dive(breaker: DelegationBreaker, to: number, started: number[], depth = 1): Promise<unknown> {
  return breaker.run({ agent: `agent ${depth}` }, () => {
    started.push(depth);
    return depth < to ? dive(breaker, to, started, depth + 1) : 'bottom';
  });
}

describe('under a policy', () => {
  test('the fifth level waits for a human, and names who asked for what', async () => {
    using breaker = new DelegationBreaker({ total: 100 });
    const started: number[] = [];
    const dived = dive(breaker, 5, started);
    await turn();
    expect(started).toEqual([1, 2, 3, 4]);
    expect(breaker.stats()).toMatchObject({ unfinished: 5 });
    expect(desk.rows(1)[0]).toMatchObject({
      action: 'delegation agent 5',
      requestedBy: 'agent:agent 4',
      evidence: { depth: 5, path: 'agent 1 > agent 2 > agent 3 > agent 4 > agent 5' },
    });
    decide('approve');
    expect(await dived).toBe('bottom');
    expect(started).toEqual([1, 2, 3, 4, 5]);
  });

  test('a no is a denied delegation that carries the refusal', async () => {
    using breaker = new DelegationBreaker({ total: 100 });
    const started: number[] = [];
    const dived = dive(breaker, 6, started).catch((error: unknown) => error);
    await turn();
    decide('deny');
    const error = (await dived) as DelegationDenied & { cause: unknown };
    expect(error).toMatchObject({ code: 'PLM_DELEGATION_DENIED', limit: 'approval' });
    expect(error.cause).toMatchObject({ code: 'PLM_APPROVAL_DENIED', retryable: false });
    expect(started).toEqual([1, 2, 3, 4]);
    expect(breaker.stats()).toMatchObject({ unfinished: 0, live: 0 });
  });

  test("the program's own hook is asked first, and both have to agree", async () => {
    const asked: number[] = [];
    let answer = false;
    using breaker = new DelegationBreaker({
      total: 100,
      approve: {
        depth: 5,
        ask: ({ depth }) => {
          asked.push(depth);
          return answer;
        },
      },
    });
    await expect(dive(breaker, 5, [])).rejects.toMatchObject({ limit: 'approval' });
    expect(desk.open).toBe(0);
    answer = true;
    const dived = dive(breaker, 5, []);
    await turn();
    decide('approve');
    expect(await dived).toBe('bottom');
    expect(asked).toEqual([5, 5]);
  });

  test('a cancelled tree stops waiting, and an approval that comes later starts nothing', async () => {
    using breaker = new DelegationBreaker({ total: 100 });
    const started: number[] = [];
    const dived = dive(breaker, 5, started).catch((error: unknown) => error);
    await turn();
    breaker.cancel(breaker.roots()[0]?.id as number, 'user left');
    expect(await dived).toMatchObject({ code: 'PLM_DELEGATION_CANCELLED' });
    await turn();
    expect(held.held.count).toBe(0);
    decide('approve');
    await turn();
    expect(started).toEqual([1, 2, 3, 4]);
  });

  test('observe and no governor ask nobody', async () => {
    using breaker = new DelegationBreaker({ total: 100 });
    policy = { ...policy, mode: 'observe' };
    expect(await dive(breaker, 8, [])).toBe('bottom');
    uninstall();
    expect(await dive(breaker, 8, [])).toBe('bottom');
  });
});

let deep = 0;
let approved = 0;

test('in random trees nothing below depth 4 starts without an approval of its own', async () => {
  const widths = fc.infiniteStream(fc.nat(2));
  const depths = fc.integer({ min: 5, max: 8 });
  await fc.assert(
    fc.asyncProperty(depths, widths, fc.infiniteStream(fc.nat(4)), async (deepest, wide, answers) => {
      using breaker = new DelegationBreaker({ total: 1000, depth: 20, pingPong: 100, failures: false });
      let startedDeep = 0;
      const before = desk.counts.ran;
      const run = (agent: string, task: string): Promise<unknown> =>
        breaker.run({ agent, task }, (self) => {
          if (self.depth > 4) startedDeep++;
          const children = self.depth >= deepest ? 0 : self.depth < 5 ? 1 : wide.next().value;
          return Promise.allSettled(
            Array.from({ length: children }, (_, i) => run(`agent ${self.depth}`, `${task}.${i}`)),
          );
        });
      const all = run('root', '0');
      for (let i = 0; i < 30; i++) {
        await turn();
        for (const row of desk.rows(desk.open))
          desk.decide({
            id: row.id,
            digest: row.digest,
            decision: answers.next().value > 0 ? 'approve' : 'deny',
            by: 'user:ada',
            groups: [],
            isOwner: true,
            channel: 'cli',
          });
      }
      await all;
      // As many as were let, not one more and not one less.
      expect(startedDeep).toBe(desk.counts.ran - before);
      expect(breaker.stats()).toMatchObject({ unfinished: 0, live: 0 });
      deep += startedDeep;
      approved += desk.counts.ran - before;
    }),
    { seed: 816, numRuns: 400 },
  );
});

afterAll(() => {
  expect(deep).toBeGreaterThan(100);
  expect(approved).toBe(deep);
});
