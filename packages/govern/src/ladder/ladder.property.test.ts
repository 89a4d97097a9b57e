import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Policy } from '../policy/policy.ts';
import type { ActionRecord } from '../actions/action.ts';
import { policyOf } from '../level/governor.fixture.ts';
import { LadderRig, MiB, turn } from './ladder.fixture.ts';

const rate = { count: 3, perMs: 60_000 };
const share = 0.2;
const guards = `guards: { destructive: { rate: 3/m, share-of-work: 20% }, self-disable: { for: 2m } }`;

const ladders: readonly string[] = [
  `mode: enforce
${guards}
settle: { again: 5s, at-most: 6s }
ladder:
  warning: [ notify, keepers.shrink, timeouts.scale ]
  critical: [ cache.drop, gc.request: { every: 10s }, session.park, delegation.clamp: { depth: 1 }, admit.throttle ]
  emergency: [ evidence: { cooldown: 0ms, timeout: 2s }, admit.refuse, scope.stop: { max: 2 }, process.restart: { after: 60s } ]`,
  `mode: enforce
${guards}
settle: { again: 1s, at-most: 2s, min-freed: 1% }
ladder:
  critical: [ keepers.shrink: { timeout: 1s }, scope.stop: { max: 5, pick: largest, timeout: 1s }, admit.refuse ]
  emergency: [ scope.stop: { max: 5 } ]`,
  `mode: shadow
${guards}
ladder:
  warning: [ keepers.shrink: { mode: enforce } ]
  critical: [ scope.stop, admit.refuse: { mode: enforce } ]
  emergency: [ scope.stop: { mode: enforce, max: 3 } ]`,
  'mode: observe',
];
const policies: readonly Policy[] = ladders.map((text) => policyOf(text));

type Event =
  | { readonly do: 'grow'; readonly mib: number }
  | { readonly do: 'wait'; readonly seconds: number }
  | { readonly do: 'stall'; readonly seconds: number }
  | { readonly do: 'open'; readonly mib: number; readonly leased: boolean; readonly close: number }
  | { readonly do: 'answer'; readonly keeper: number; readonly how: number }
  | { readonly do: 'load'; readonly refused: number }
  | { readonly do: 'policy'; readonly which: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    arbitrary: fc.record({ do: fc.constant('grow' as const), mib: fc.integer({ min: -60, max: 200 }) }),
    weight: 4,
  },
  {
    arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 20 }) }),
    weight: 5,
  },
  fc.record({ do: fc.constant('stall' as const), seconds: fc.integer({ min: 1, max: 300 }) }),
  {
    arbitrary: fc.record({
      do: fc.constant('open' as const),
      mib: fc.integer({ min: 1, max: 80 }),
      leased: fc.boolean(),
      close: fc.integer({ min: 0, max: 2 }),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      keeper: fc.nat(2),
      how: fc.integer({ min: 0, max: 3 }),
    }),
    weight: 2,
  },
  fc.record({ do: fc.constant('load' as const), refused: fc.integer({ min: 0, max: 100 }) }),
  fc.record({ do: fc.constant('policy' as const), which: fc.nat(policies.length - 1) }),
);

/** A rig with everything that can be asked, every answer a test may choose, and a watch on what must never be. */
class Life extends LadderRig {
  readonly stops: { readonly atMs: number; readonly kind: string; readonly open: number }[] = [];
  readonly #open = new Map<string, Set<string>>();
  readonly faults: string[] = [];
  #seen = 0;

  constructor(policy: Policy, scopes = 30) {
    super(policy, { evidence: () => new Promise(() => undefined) });
    this.live = 150 * MiB;
    for (const kind of ['pool', 'cache', 'session-cache']) this.keeper(kind, 60 * MiB);
    // Many or few of them: now the rate binds, now the share.
    for (let i = 0; i < scopes; i++)
      this.#openScope({ do: 'open', mib: 12, leased: i % 4 === 0, close: i % 3 });
  }

  async apply(event: Event): Promise<void> {
    if (event.do === 'grow') this.live = Math.min(420, Math.max(10, this.live / MiB + event.mib)) * MiB;
    else if (event.do === 'wait') await this.live1(event.seconds);
    else if (event.do === 'stall') {
      this.clock.stall(event.seconds * 1000);
      this.tick(1000);
      await turn();
    } else if (event.do === 'open') this.#openScope(event);
    else if (event.do === 'answer') this.#answer(event.keeper, event.how);
    else if (event.do === 'load') {
      this.admission.admitted += 100 - event.refused;
      this.admission.refused += event.refused;
    } else this.ladder.setPolicy(policies[event.which] as Policy);
    this.check();
  }

  /** Seconds with a level as the memory says. */
  async live1(seconds: number): Promise<void> {
    await this.run(seconds, () => {
      this.judge();
      this.check();
    });
  }

  #openScope({ mib, leased, close }: Extract<Event, { do: 'open' }>): void {
    const scope = this.scope('session', String(this.scopes.length), mib * MiB, {
      leases: leased ? 1 : 0,
      budget: (mib / 2) * MiB,
    });
    const gone = scope.onClose;
    scope.onClose = (closed) => {
      if (closed.leases > 0) this.faults.push('stopped a leased scope');
      const open = this.scopes.filter(({ closedFor }) => closedFor === undefined).length;
      this.stops.push({ atMs: this.clock.monotonic(), kind: 'session', open });
      if (close === 1) return new Promise(() => undefined);
      if (close === 2) return Promise.reject(new Error('mine'));
      return gone(closed);
    };
  }

  #answer(keeper: number, how: number): void {
    const found = this.keepers[keeper];
    if (found === undefined) return;
    found.bytes = 60 * MiB;
    found.answer = [
      ({ bytes }: { bytes: number }) => found.give(Math.min(bytes, found.bytes)),
      () => 0,
      () => Promise.reject(new Error('mine')),
      () => new Promise<number>(() => undefined),
    ][how] as typeof found.answer;
  }

  check(): void {
    for (const record of this.records.slice(this.#seen)) this.#follow(record);
    this.#seen = this.records.length;
  }

  #follow({ scope, id, outcome, action }: ActionRecord): void {
    const open = this.#open.get(scope) ?? new Set();
    this.#open.set(scope, open);
    if (outcome === 'running' || outcome === 'settling') {
      open.add(id);
      if (open.size > 1) this.faults.push(`two in flight for ${scope}: ${action}`);
    } else open.delete(id);
  }
}

/** The most stops in any stretch of the time of the rate, and in proportion to what was open. */
function stopFaults(stops: Life['stops']): string[] {
  const faults: string[] = [];
  stops.forEach(({ atMs, open }, i) => {
    const before = stops.slice(0, i + 1).filter((each) => atMs - each.atMs < rate.perMs);
    if (before.length > rate.count) faults.push(`${before.length} stops within a minute`);
    const allowed = Math.max(1, Math.floor(share * (open + before.length)));
    if (before.length > allowed)
      faults.push(`${before.length} stops of ${open + before.length}, ${allowed} allowed`);
  });
  return faults;
}

const lives = fc.record({
  first: fc.nat(policies.length - 1),
  events: fc.array(event, { minLength: 5, maxLength: 60 }),
});

test('never two actions in flight for one subject, never more stops than the guards allow, never a leased scope', async () => {
  let most = 0;
  await fc.assert(
    fc.asyncProperty(lives, fc.constantFrom(6, 12, 30), async ({ first, events }, scopes) => {
      using life = new Life(policies[first] as Policy, scopes);
      for (const each of events) await life.apply(each);
      most = Math.max(most, life.stops.length);
      expect([...life.faults, ...stopFaults(life.stops)]).toEqual([]);
    }),
    { numRuns: 300 },
  );
  // The bounds were reached, not only kept.
  expect(most).toBeGreaterThanOrEqual(rate.count);
});

test('whatever was clamped, throttled, refused or scaled is let go of once the level is normal', async () => {
  await fc.assert(
    fc.asyncProperty(lives, async ({ first, events }) => {
      using life = new Life(policies[first] as Policy);
      for (const each of events) await life.apply(each);
      life.live = 10 * MiB;
      life.judge();
      expect(life.ladder.holding).toEqual([]);
      expect(life.admission).toMatchObject({ isRefusing: false, isClamped: false, throttling: undefined });
      expect(life.keepers.map(({ scale }) => scale)).toEqual([1, 1, 1]);
      // What was in flight when the level fell must not put anything in force afterwards.
      await life.run(30);
      expect(life.ladder.holding).toEqual([]);
      expect(life.ladder.counts.inFlight).toBe(0);
    }),
    { numRuns: 150 },
  );
});

test('there is always a way out of stuck: a restart, or a record that says that a human has to act', async () => {
  await fc.assert(
    fc.asyncProperty(lives, fc.nat(1), fc.boolean(), async ({ first, events }, policy, mayRestart) => {
      using life = new Life(policies[first] as Policy);
      if (!mayRestart) life.restartAnswer = { state: 'refused', why: 'enough of them' };
      for (const each of events) await life.apply(each);
      life.ladder.setPolicy(policies[policy] as Policy);
      const { length } = life.records;
      await life.run(700, () => {
        life.live = 399 * MiB;
        life.judge();
      });
      const told = life.records.slice(length).some(({ action }) => action === 'stuck');
      expect(told || life.restarts.length > 0).toBe(true);
      expect(life.ladder.counts.inFlight).toBeLessThanOrEqual(1);
    }),
    { numRuns: 60 },
  );
});
