import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Policy } from '../policy/policy.ts';
import type { Level } from '@plimsoll/core/internal/level';
import { levels } from '@plimsoll/core/internal/level';
import type { ApprovalRule } from '../policy/sections/approvals.ts';
import { isPlimsollError } from '@plimsoll/core';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { ApprovalDesk } from './approval-desk.ts';
import type { ApprovalRow } from './approval-row.ts';
import { policyWith, ruleOf } from './desk.fixture.ts';

let requests = 0;
let runs = 0;

/** A small fast generator, so that one seed gives one whole life of a desk. */
function dice(seed: number): (sides: number) => number {
  let state = seed | 1;
  return (sides) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % sides;
  };
}

const people = ['user:ada', 'user:bob', 'agent:planner', 'agent:scout', 'user:eve'] as const;
const groupsOf: Readonly<Record<string, readonly string[]>> = {
  'user:ada': ['sre'],
  'user:bob': ['SRE'],
  'agent:planner': ['sre'],
  'agent:scout': [],
  'user:eve': [],
};
const scopes = ['process', 'process/agent:planner', 'process/agent:scout/session:1'] as const;
const final = new Set([
  'approved',
  'denied',
  'expired',
  'withdrawn',
  'overridden',
  'stale',
  'refused-full',
  'lost',
]);

interface Watched {
  readonly rule: ApprovalRule;
  readonly requestedBy: string;
  readonly scope: string;
  readonly deadlineMs: number;
  ran: number;
  last: ApprovalRow | undefined;
  refusals: number;
}

/** One process: a desk, what it is told, and every promise it may not break. */
class Life {
  readonly clock = new FakeClock();
  readonly roll: (sides: number) => number;
  readonly levelOf = new Map<string, Level>();
  readonly victims = new Set([0, 1, 2, 3, 4]);
  readonly watched = new Map<string, Watched>();
  readonly broken: string[] = [];
  readonly rules: readonly ApprovalRule[];
  policy: Policy;
  desk: ApprovalDesk;
  #revision = 1;
  #ids = 0;

  constructor(seed: number) {
    this.roll = dice(seed);
    this.rules = (['skip', 'deny', 'proceed'] as const).map((onExpiry, i) =>
      ruleOf({
        name: `r${i}`,
        by: i === 2 ? ['group:sre', 'agent:scout'] : ['group:sre'],
        quorum: 1 + this.roll(3),
        ttlMs: 1000 * (1 + this.roll(60)),
        onExpiry,
        breakGlass: this.roll(2) === 0 ? 'emergency' : 'never',
        pendingMax: 1 + this.roll(6),
      }),
    );
    this.policy = this.#nextPolicy();
    this.desk = this.#start();
  }

  #nextPolicy(): Policy {
    return policyWith(this.rules, { revision: this.#revision++ });
  }

  #start(): ApprovalDesk {
    return new ApprovalDesk({
      policy: this.policy,
      clock: this.clock,
      levelOf: (scope) => this.levelOf.get(scope) ?? 'normal',
      onChange: (row) => this.saw(row),
      newId: () => `t${++this.#ids}`,
    });
  }

  /** A promise of the desk. Kept here too, because the desk catches what its callbacks throw. */
  must(isKept: boolean, promise: string): void {
    if (isKept) return;
    this.broken.push(promise);
    throw new Error(promise);
  }

  /** Every row the desk publishes: states only move on, and no vote is one's own. */
  saw(row: ApprovalRow): void {
    const known = this.watched.get(row.id);
    if (known === undefined) return;
    const before = known.last;
    known.last = row;
    if (before !== undefined && before.state !== 'open' && before.state !== row.state)
      this.must(
        /^(?:approved|overridden|expired)$/.test(before.state) && /^(?:stale|lost)$/.test(row.state),
        `${before.state} became ${row.state}`,
      );
    if (before !== undefined && before.ranAt !== null)
      this.must(row.ranAt === before.ranAt, 'what ran did not run again');
    const voters = row.votes.filter((vote) => vote.decision === 'approve').map((vote) => vote.by);
    this.must(new Set(voters).size === voters.length, 'one vote each');
    for (const vote of row.votes) {
      this.must(vote.by !== known.requestedBy, 'no self-approval');
      this.must(!known.scope.split('/').includes(vote.by), 'no approval from inside');
      this.must(vote.by !== 'user:eve', 'only approvers');
    }
    if (row.state === 'approved') this.must(voters.length >= known.rule.quorum, 'quorum');
    if (row.ranAt !== null)
      this.must(['approved', 'overridden', 'expired'].includes(row.state), `${row.state} and ran`);
  }

  request(): void {
    requests++;
    const rule = this.rules[this.roll(3)] as ApprovalRule;
    const scope = scopes[this.roll(3)] as string;
    const victim = this.roll(5);
    const requestedBy = this.roll(2) === 0 ? 'ladder.critical (p:1)' : (people[2 + this.roll(2)] as string);
    const level = this.roll(3) === 0 ? undefined : (levels[1 + this.roll(3)] as Level);
    const { revision, sha256 } = this.policy;
    const askedUnder = this.policy;
    let watched: Watched | undefined;
    const { id, state } = this.desk.request({
      approval: rule.name,
      kind: 'action',
      action: 'scope.stop',
      scope,
      args: { victim, requestedBy, level: level ?? null, rule: rule.name },
      level,
      why: 'because',
      evidence: { victim },
      requestedBy,
      policy: { revision, sha256 },
      isStillValid: () => this.victims.has(victim),
      run: (as) => {
        runs++;
        this.must(this.victims.has(victim), 'the victim is there');
        this.must(this.policy === askedUnder, 'the policy is the same');
        if (level !== undefined)
          this.must(
            levels.indexOf(this.levelOf.get(scope) ?? 'normal') >= levels.indexOf(level),
            'the level holds',
          );
        this.must(watched !== undefined, 'nothing runs while it is filed');
        this.must(++(watched as Watched).ran === 1, 'runs once');
        const state = watched?.last?.state;
        if (state === 'expired')
          this.must(rule.onExpiry === 'proceed' && as === 'deadline', 'silence is no yes');
        else if (state === 'overridden')
          this.must(rule.breakGlass === 'emergency' && as === 'policy', 'only break-glass overrides');
        else this.must(state === 'approved', `${state} and runs`);
      },
      onRefused: () => {
        (watched as Watched).refusals++;
      },
    });
    if (state === 'stale' || state === 'refused-full') return;
    watched = this.watched.get(id);
    if (watched === undefined) {
      const deadlineMs = this.clock.monotonic() + rule.ttlMs;
      watched = { rule, requestedBy, scope, deadlineMs, ran: 0, last: this.desk.row(id), refusals: 0 };
      this.watched.set(id, watched);
    }
  }

  decide(): void {
    const open = this.desk.rows(50);
    const row = open[this.roll(Math.max(1, open.length))];
    if (row === undefined) return;
    const by = people[this.roll(5)] as string;
    const isStale = this.roll(4) === 0;
    const before = JSON.stringify(this.desk.row(row.id));
    try {
      const answer = this.desk.decide({
        id: row.id,
        digest: isStale ? 'f'.repeat(64) : row.digest,
        decision: this.roll(4) === 0 ? 'deny' : 'approve',
        by,
        groups: groupsOf[by] as readonly string[],
        channel: 'cli',
        comment: this.roll(2) === 0 ? 'why' : '',
        ...(this.roll(2) === 0 ? { key: `k${this.roll(10)}` } : {}),
      });
      this.must(!isStale, 'a stale digest is never accepted');
      this.must(by !== 'user:eve', 'only approvers');
      if (answer.replayed)
        this.must(JSON.stringify(this.desk.row(row.id)) === before, 'a replay changes nothing');
    } catch (error) {
      if (!isPlimsollError(error)) throw error;
      // A refused decision changes nothing but what time changed.
      if (this.desk.row(row.id)?.state === row.state)
        this.must(JSON.stringify(this.desk.row(row.id)) === before, 'a refused decision changes nothing');
    }
  }

  restart(): void {
    const open = this.desk.rows(1000).filter((row) => row.state === 'open');
    this.desk.close();
    for (const row of open) this.must(this.desk.row(row.id)?.state === 'lost', 'lost on restart');
    this.check();
    this.desk = this.#start();
  }

  step(): void {
    const what = this.roll(100);
    if (what < 45) this.request();
    else if (what < 75) this.decide();
    else if (what < 83) this.desk.tick();
    else if (what < 89) this.clock.advance(this.roll(20_000));
    else if (what < 91) this.clock.stall(this.roll(90_000));
    else if (what < 92) this.clock.jump((this.roll(3) - 1) * 3_600_000);
    else if (what < 96) {
      const scope = scopes[this.roll(3)] as string;
      const level = levels[this.roll(4)] as Level;
      this.levelOf.set(scope, level);
      this.desk.levelChanged(scope, level);
    } else if (what < 98) {
      const victim = this.roll(5);
      if (!this.victims.delete(victim)) this.victims.add(victim);
    } else if (what < 99) {
      this.policy = this.#nextPolicy();
      this.desk.setPolicy(this.policy);
    } else this.restart();
    this.check();
  }

  /** What holds at every moment. */
  check(): void {
    const nowMs = this.clock.monotonic();
    const openOf = new Map<string, number>();
    let open = 0;
    for (const row of this.desk.rows(this.desk.open)) {
      this.must(row.state === 'open', 'open ones come first');
      open++;
      const known = this.watched.get(row.id);
      if (known === undefined) this.must(row.kind === 'review', 'all others are known');
      else {
        this.must(known.deadlineMs > nowMs, 'over by its deadline');
        openOf.set(known.rule.name, (openOf.get(known.rule.name) ?? 0) + 1);
      }
    }
    this.must(this.desk.open === open, 'the count is right');
    for (const rule of this.rules)
      this.must((openOf.get(rule.name) ?? 0) <= rule.pendingMax, 'open up to the bound');
  }

  end(): void {
    this.clock.advance(3_600_000);
    this.desk.tick();
    for (const { last, ran, refusals } of this.watched.values()) {
      const state = last?.state as string;
      this.must(final.has(state), `${state} at the end`);
      this.must(ran === (last?.ranAt === null ? 0 : 1), 'ranAt tells');
      // Either it ran or whoever asked was told no, one of them and once.
      this.must(ran + refusals === 1, `ran ${ran}, refused ${refusals}`);
      if (['denied', 'withdrawn', 'stale', 'lost'].includes(state)) this.must(ran === 0, `${state} and ran`);
    }
    this.desk.close();
    this.must(this.clock.waiting === 0, 'no timer is left');
  }
}

test('no life of a desk breaks a promise', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 30 }), (seed) => {
      const life = new Life(seed);
      for (let i = 0; i < 250; i++) life.step();
      life.end();
      expect(life.broken).toEqual([]);
    }),
    { seed: 816, numRuns: 1000 },
  );
}, 120_000);

afterAll(() => {
  expect(requests).toBeGreaterThanOrEqual(100_000);
  expect(runs).toBeGreaterThan(1000);
});
