import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { expect, test } from 'vitest';
import type { ApprovalTicket, LeverScope, Levers } from '../actions/levers.ts';
import { Admission } from '../admission/admission.ts';
import { policyOf } from '../level/governor.fixture.ts';
import { actions } from '../policy/actions.ts';
import { HandActions } from './by-hand.ts';
import { enforce, MiB, TestKeeper } from './ladder.fixture.ts';

const scope = (path: string, changes: Partial<LeverScope> = {}): LeverScope => {
  const [kind = '', name = ''] = (path.split('/').at(-1) as string).split(':');
  return {
    id: path.length,
    kind,
    name,
    path,
    bytes: 10 * MiB,
    idleMs: 1000,
    ageMs: 60_000,
    leases: 0,
    close: () => Promise.resolve(),
    ...changes,
  };
};

function hand(levers: Levers = {}, policy = enforce('  warning: [keepers.shrink]')): HandActions {
  return new HandActions({
    clock: new FakeClock(),
    levers,
    policy: () => policyOf(policy),
    standing: () => ({ usedBytes: 80 * MiB, limitBytes: 100 * MiB, level: 'normal' }),
  });
}

const by = 'user:ann';

test('an action runs at any level with the options of a policy, and says who asked', async () => {
  const cache = new TestKeeper('session-cache', 50 * MiB);
  const found = hand({ keepers: () => [cache] });
  const record = await found.run({ action: 'session.park', options: { until: '60%', batch: '20' }, by });
  expect(record).toMatchObject({
    action: 'session.park',
    scope: 'process',
    level: 'normal',
    outcome: 'done',
    rule: 'by hand (user:ann)',
    releasedBytes: 20 * MiB,
  });
  expect(cache.asked[0]).toMatchObject({ atMost: 20 });
  expect(found.log.rows).toEqual([record]);
  const again = await found.run({ action: 'session.park', options: { until: '90%' }, by });
  expect(again).toMatchObject({ outcome: 'skipped', text: 'is below 90 % already.' });
});

test('what cannot be meant is refused before anything is done', async () => {
  const found = hand({
    scopes: () => [
      scope('process/session:42'),
      scope('process/agent:a/session:41'),
      scope('process/agent:b/session:41'),
    ],
  });
  const refused = async (action: string, more: object = {}): Promise<string> =>
    found.run({ action, options: {}, by, ...more }).then(
      () => 'done',
      (error: Error & { code: string }) => `${error.code}: ${error.message}`,
    );
  expect(await refused('sesion.park')).toMatch(/^PLM_ACT_UNKNOWN: there is no action "sesion\.park"/);
  expect(await refused('session.park', { options: { untill: '60%' } })).toMatch(/^PLM_POLICY_UNKNOWN_KEY/);
  expect(await refused('session.park', { options: { until: 'soon' } })).toMatch(/^PLM_POLICY_/);
  expect(await refused('scope.quarantine')).toContain('a quarantine needs a scope');
  expect(await refused('scope.quarantine', { scope: 'session:7' })).toContain('no open scope is called so');
  expect(await refused('scope.stop', { scope: 'session:42', options: {} })).toBe('done');
  expect(await refused('scope.stop', { scope: 'session:41' })).toContain('2 open scopes are called so');
  expect(await refused('gc.request', { scope: 'process/agent:a/session:41' })).toContain(
    'gc.request acts on the whole process',
  );
  expect(found.log.rows.map(({ action }) => action)).toEqual(['scope.stop']);
});

test.each(Object.keys(actions))('%s can be asked for', async (action) => {
  const found = hand({ scopes: () => [scope('process/session:42')], keepers: () => [] });
  const target = action === 'scope.quarantine' ? { scope: 'session:42' } : {};
  const { outcome, text } = await found.run({
    action,
    // The one action that has to be told what to do.
    options: action === 'delegation.clamp' ? { depth: '3' } : {},
    by,
    ...target,
  });
  expect(['done', 'skipped']).toContain(outcome);
  expect(text).toMatch(/\.$/);
});

test('a quarantine refuses new turns of one scope and lets everything else in', async () => {
  let path = 'process/session:42/run:1';
  const admission = new Admission({ scopePath: () => path });
  const kept: string[] = [];
  const found = hand({
    admission,
    scopes: () => [scope('process/session:42', { leases: 1 }), scope('process/session:43')],
    evidence: ({ scope: of }) => {
      kept.push(of);
      return Promise.resolve({ text: 'kept evidence', files: [] });
    },
  });
  admission.admit('run').release();
  const done = await found.run({ action: 'scope.quarantine', scope: 'session:42', options: {}, by });
  expect(done).toMatchObject({ outcome: 'done', scope: 'process/session:42' });
  expect(done.text).toBe('quarantined process/session:42 (10.0 MiB); kept evidence.');
  expect(kept).toEqual(['process/session:42']);
  expect(() => admission.admit('run')).toThrow('process/session:42 is in quarantine (by hand (user:ann)).');
  expect(() => admission.admit('session', { continues: 'session' })).toThrow('in quarantine');
  expect(() => admission.admit('run', { continues: true })).not.toThrow();
  path = 'process/session:43';
  expect(() => admission.admit('run')).not.toThrow();
  expect(admission.quarantines).toMatchObject([{ scope: 'process/session:42' }]);
  const off = { action: 'scope.quarantine', scope: 'session:42', options: {}, by, isOff: true };
  expect(await found.run(off)).toMatchObject({ outcome: 'done', action: 'scope.release' });
  expect(await found.run(off)).toMatchObject({ outcome: 'skipped', text: 'was in no quarantine.' });
  path = 'process/session:42';
  expect(() => admission.admit('run')).not.toThrow();
});

test('an approval of the policy is waited for', async () => {
  const tickets: ApprovalTicket[] = [];
  const cache = new TestKeeper('session-cache', 50 * MiB);
  const policy = enforce(
    '  warning: [{ session.park: { approval: ops } }]',
    'approvals: { ops: { by: ["group:sre"], ttl: 5m, on-expiry: skip } }',
  );
  const gate = {
    request: (ticket: ApprovalTicket) => {
      tickets.push(ticket);
      return { id: '7f3', state: 'open' };
    },
  };
  const found = hand({ keepers: () => [cache], approvals: gate }, policy);
  const waiting = await found.run({ action: 'session.park', options: {}, by });
  expect(waiting).toMatchObject({ outcome: 'waiting', text: 'waits for approval 7f3 (ops).' });
  expect(cache.asked).toEqual([]);
  expect(tickets[0]).toMatchObject({ approval: 'ops', why: 'user:ann asks for session.park by hand' });
  tickets[0]?.run('user:bob');
  await new Promise(setImmediate);
  expect(cache.asked).toHaveLength(1);
  expect(found.log.rows).toMatchObject([{ id: waiting.id, outcome: 'done' }]);
  await found.run({ action: 'session.park', options: {}, by });
  tickets[1]?.onRefused?.('denied');
  expect(found.log.rows.at(-1)).toMatchObject({ outcome: 'skipped', text: 'was not let: denied.' });
});

test('an action that throws or hangs is a failed one', async () => {
  const cache = new TestKeeper('session-cache', 50 * MiB);
  cache.answer = () => new Promise(() => undefined);
  const found = hand({ keepers: () => [cache] });
  const hung = found.run({ action: 'session.park', options: { timeout: '100ms' }, by });
  expect(await hung).toMatchObject({ outcome: 'failed' });
});
