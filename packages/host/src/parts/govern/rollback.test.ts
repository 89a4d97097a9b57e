import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import { readPolicyFile } from '@plimsoll/govern/internal/policy/policy-file';
import { partialReading, type Reading } from '@plimsoll/core/internal/sense/reading';
import type { AuditEntry } from '@plimsoll/ledger';
import type { ControlOps } from '../../protocol/control.ts';
import type { RollbackAnswer } from '../../protocol/answers.ts';
import { rollbackOps } from '../../control/policy.ts';
import { PolicyGuard, shelfFile } from './rollback.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'policy-guard-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(revision: number): Policy {
  const file = join(dir, 'plimsoll.yaml');
  writeFileSync(
    file,
    `apiVersion: plimsoll/v1\nrevision: ${revision}\nmode: enforce\nrollback: { good-after: 1s }\n`,
  );
  return readPolicyFile(file);
}

const fullDisk = (): Promise<void> => Promise.reject(new Error('the disk is full'));

function guarded(policy: Policy, stored: () => Promise<void> = fullDisk) {
  const applied: Policy[] = [];
  const entries: AuditEntry[] = [];
  const guard = new PolicyGuard({
    policy,
    ledgerDir: join(dir, 'ledger'),
    governor: { level: 'normal', isOwnLimit: false },
    roster: {
      opened: 3,
    },
    ledger: {
      audit: (entry) => {
        entries.push(entry);
        return stored();
      },
    },
    apply: (next) => applied.push(next),
    follow: () => () => undefined,
  });
  const ops = rollbackOps(() => guard);
  const ask = (op: string, args: Record<string, unknown> = {}): RollbackAnswer | Promise<RollbackAnswer> =>
    (ops[op] as ControlOps[string])(args) as RollbackAnswer | Promise<RollbackAnswer>;
  return { guard, applied, entries, ask };
}

const reading = (at: number, majors: number): Reading =>
  partialReading({
    at,
    majors,
    heapUsed: 40e6,
    floor: 20e6,
    rss: 90e6,
    limit: 100e6,
    used: 20e6,
    loopDelayMs: 1,
  });

test('a rollback by hand is in force, in the ledger and over when the file changes', async () => {
  const { guard, applied, entries, ask } = guarded(write(4));
  const { record, state, inForce } = await ask('policy.rollback', {
    to: 'shadow',
    by: 'ann',
    reason: 'too eager',
  });
  expect(inForce).toMatchObject({ revision: 4, mode: 'shadow' });
  expect(state.isLatched).toBe(true);
  expect(record?.text).toBe('ann rolled the policy back: too eager');
  expect(entries).toHaveLength(1);
  expect(entries[0]).toMatchObject({
    kind: 'policy',
    body: {
      event: 'rollback',
      trigger: 'manual',
      by: 'ann',
      reason: 'too eager',
      revision: 4,
      from: { mode: 'enforce' },
    },
  });
  guard.swapped(write(5));
  expect(applied.map(({ revision, mode }) => [revision, mode])).toEqual([
    [4, 'shadow'],
    [5, 'enforce'],
  ]);
  expect(await ask('policy.state')).toMatchObject({
    record: null,
    state: { isLatched: false },
    inForce: { revision: 5 },
  });
});

test('a rollback by hand is answered once the ledger has it', async () => {
  const stored = Promise.withResolvers<void>();
  const { ask } = guarded(write(4), () => stored.promise);
  const order: string[] = [];
  const asked = Promise.resolve(ask('policy.rollback', { to: 'shadow', by: 'ann', reason: 'x' })).then(() =>
    order.push('answered'),
  );
  await new Promise((done) => setImmediate(done));
  order.push('stored');
  stored.resolve();
  await asked;
  expect(order).toEqual(['stored', 'answered']);
});

test('the mode by hand puts the policy of the file in force again', async () => {
  const { ask, entries } = guarded(write(4));
  await ask('policy.rollback', { by: 'ann', reason: 'no good one is there yet' });
  expect((await ask('policy.mode', { by: 'bob', reason: 'mended' })).inForce.mode).toBe('enforce');
  expect((await ask('policy.mode', { mode: 'observe', by: 'bob', reason: 'quiet night' })).inForce.mode).toBe(
    'observe',
  );
  expect(entries.map(({ body }) => body?.['event'])).toEqual(['rollback', 'mode', 'mode']);
});

test('a policy that served is kept with its text', async () => {
  const { guard, ask } = guarded(write(4));
  await new Promise((done) => setTimeout(done, 1100));
  guard.take(reading(5, 5));
  expect((await ask('policy.state')).state.good).toMatchObject([{ revision: 4 }]);
  expect(readFileSync(shelfFile(join(dir, 'ledger')), 'utf8')).toContain('good-after: 1s');
  expect((await ask('policy.rollback', { to: 4, by: 'ann', reason: 'x' })).inForce.revision).toBe(4);
});

test('a text that is not the policy any more is not kept', async () => {
  const policy = write(4);
  write(5);
  const { guard } = guarded(policy);
  await new Promise((done) => setTimeout(done, 1100));
  guard.take(reading(1, 1));
  rmSync(join(dir, 'plimsoll.yaml'));
  expect(guarded(policy).guard.state.good).toEqual([]);
});

test('requests that say too little are refused with what is accepted', () => {
  const { ask } = guarded(write(4));
  const refusal = (op: string, args: Record<string, unknown>): string => {
    try {
      void ask(op, args);
      return 'answered';
    } catch (error) {
      return String(error);
    }
  };
  expect(refusal('policy.rollback', { to: 'yesterday', by: 'ann', reason: 'x' })).toContain(
    'PLM_CONTROL_BAD_REQUEST',
  );
  expect(refusal('policy.rollback', { to: 77, by: 'ann', reason: 'x' })).toContain('PLM_ROLLBACK_UNKNOWN');
  expect(refusal('policy.rollback', { to: 'shadow', by: 'ann' })).toContain('"reason" is missing');
  expect(refusal('policy.mode', { mode: 'loud', by: 'ann', reason: 'x' })).toContain('"mode" is no mode');
  const nobody = rollbackOps(() => undefined);
  expect(() => (nobody['policy.state'] as ControlOps[string])({})).toThrow('has no policy');
});
