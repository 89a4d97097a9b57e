import { channel } from 'node:diagnostics_channel';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { builtInPolicy } from '../policy/built-in.ts';
import { parsePolicy } from '../policy/parse.ts';
import type { Policy } from '../policy/policy.ts';
import { inMode, isEnforcing } from './rollback.ts';
import { PolicyShelf } from './policy-shelf.ts';
import { Rollback } from './rollback.ts';
import { Patient, mib, written } from './rollback.fixture.ts';
import type { RollbackRecord } from './rollback-record.ts';

const minute = 60_000;
let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'rollback-'));
  file = join(dir, 'ledger', 'policies.json');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A process under a policy: what was put in force, and every rollback. */
function governed(first: { policy: Policy; text?: string }, shelf?: PolicyShelf) {
  const patient = new Patient();
  const applied: Policy[] = [];
  const records: RollbackRecord[] = [];
  const rollback = new Rollback(first.policy, first.text, {
    ...(shelf === undefined ? {} : { shelf }),
    clock: { now: () => 1e12 + patient.nowMs, monotonic: () => patient.nowMs },
    apply: (policy) => applied.push(policy),
    onRollback: (record) => records.push(record),
  });
  const live = (ms: number, change?: (it: Patient) => void): void =>
    patient.live(ms, (signals) => rollback.take(signals), change);
  return { patient, rollback, applied, records, live };
}

const refusing = (it: Patient): void => {
  it.admitted -= 9;
  it.blocked += 9;
};

describe('a trigger', () => {
  test('falls back to shadow when no policy was ever good, tells it, and says why', () => {
    const heard: unknown[] = [];
    const listen = (message: unknown): void => void heard.push(message);
    channel('plimsoll:rollback').subscribe(listen);
    const { rollback, applied, records, live } = governed(written(3));
    live(6 * minute, refusing);
    channel('plimsoll:rollback').unsubscribe(listen);
    expect(records).toHaveLength(1);
    expect(heard).toEqual(records);
    expect(applied.map(({ revision, mode }) => [revision, mode])).toEqual([[3, 'shadow']]);
    expect(rollback.policy.mode).toBe('shadow');
    expect(rollback.state.isLatched).toBe(true);
    const { from, to, trigger, level, by, text } = records[0] as RollbackRecord;
    expect({ from: [from.revision, from.mode], to: [to.revision, to.mode], trigger, level, by, text })
      .toMatchInlineSnapshot(`
      {
        "by": null,
        "from": [
          3,
          "enforce",
        ],
        "level": "emergency",
        "text": "90 % of 3000 operations were blocked in 5 m at level normal, and the pressure went from 50 % when that began to 50 %.",
        "to": [
          3,
          "shadow",
        ],
        "trigger": "blocked",
      }
    `);
  });

  test('falls back to the last good policy when there is one', () => {
    const { rollback, records, live } = governed(written(1));
    live(11 * minute);
    expect(rollback.state.good.map(({ revision }) => revision)).toEqual([1]);
    const next = written(2);
    rollback.swapped(next.policy, next.text);
    live(6 * minute, refusing);
    expect(records.map(({ to }) => [to.revision, to.mode])).toEqual([[1, 'enforce']]);
    expect(rollback.policy.revision).toBe(1);
  });

  test('of the good one as well leads to shadow, after the cooldown and not before', () => {
    const { rollback, records, live, patient } = governed(written(1));
    live(11 * minute);
    const next = written(2);
    rollback.swapped(next.policy, next.text);
    live(120 * minute, refusing);
    expect(records.map(({ to }) => [to.revision, to.mode])).toEqual([
      [1, 'enforce'],
      [1, 'shadow'],
    ]);
    const [first, second] = records as [RollbackRecord, RollbackRecord];
    expect(second.at - first.at).toBeGreaterThanOrEqual(60 * minute);
    expect(patient.nowMs).toBe(131 * minute);
    expect(rollback.state.good).toEqual([]);
  });

  test('never rolls back when the policy says never, or only watches', () => {
    const never = governed(written(1, 'rollback: { to: never }'));
    never.live(30 * minute, refusing);
    const shadow = written(1);
    const watching = governed({ policy: inMode(shadow.policy, 'shadow'), text: shadow.text });
    watching.live(30 * minute, refusing);
    expect([...never.records, ...watching.records]).toEqual([]);
  });

  test('goes to shadow when the policy asks for that, although a good one is there', () => {
    const { rollback, records, live } = governed(written(1));
    live(11 * minute);
    const next = written(2, 'rollback: { to: shadow }');
    rollback.swapped(next.policy, next.text);
    live(6 * minute, refusing);
    expect(records.map(({ to }) => [to.revision, to.mode])).toEqual([[2, 'shadow']]);
  });

  test('compares a policy with what was usual under the one before it', () => {
    const { rollback, records, live } = governed(written(1));
    live(20 * minute);
    const next = written(2);
    rollback.swapped(next.policy, next.text);
    live(10 * minute, (it) => (it.floor += 0.2 * mib));
    expect(records.map(({ trigger, to }) => [trigger, to.revision])).toEqual([['growth', 1]]);
  });
});

describe('what was given up', () => {
  test('never fires in an emergency that a real limit brought, whatever the trigger', () => {
    const { records, live, patient } = governed(written(3));
    live(11 * minute);
    patient.level = 'emergency';
    live(30 * minute, (it) => {
      refusing(it);
      it.loopDelayMs = 3000;
      it.selfCpuRatio = 0.6;
    });
    expect(records).toEqual([]);
    patient.level = 'warning';
    live(minute, (it) => {
      it.loopDelayMs = 3000;
      it.selfCpuRatio = 0.6;
    });
    expect(records).toHaveLength(1);
  });

  test('says at the next start which policy was given up, why, and how to take it back', async () => {
    const first = governed(written(3), new PolicyShelf(file));
    first.live(6 * minute, refusing);
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    const next = governed(written(3), new PolicyShelf(file));
    expect(next.rollback.state.givenUp).toMatchInlineSnapshot(
      `"revision 3 of the policy was given up at 2001-09-09T01:51:41Z: 90 % of 3000 operations were blocked in 5 m at level normal, and the pressure went from 50 % when that began to 50 %. In force is revision 3 in mode shadow. To take it back: correct the policy file, or run "plimsoll rollback --undo --reason TEXT" to enforce it as it is."`,
    );
    expect(next.rollback.state.givenUp).toContain((await warned).message.split(' (fix')[0]);
    next.rollback.setMode({ by: 'ann', reason: 'mended' });
    expect(next.rollback.givenUp).toBeNull();
  });

  test('stays given up over a restart, until the file has another text', () => {
    const first = governed(written(3), new PolicyShelf(file));
    first.live(6 * minute, refusing);
    const again = governed(written(3), new PolicyShelf(file));
    expect(again.rollback.policy.mode).toBe('shadow');
    expect(again.rollback.state.isLatched).toBe(true);
    const next = written(4);
    again.rollback.swapped(next.policy, next.text);
    expect(again.rollback.policy).toBe(next.policy);
    expect(again.rollback.state.isLatched).toBe(false);
    const last = governed(next, new PolicyShelf(file));
    expect(last.rollback.policy).toBe(next.policy);
  });

  test('stays replaced by the good policy over a restart', () => {
    const first = governed(written(1), new PolicyShelf(file));
    first.live(11 * minute);
    const next = written(2);
    first.rollback.swapped(next.policy, next.text);
    first.live(6 * minute, refusing);
    const again = governed(next, new PolicyShelf(file));
    expect(again.rollback.policy.revision).toBe(1);
    expect(again.applied.map(({ revision }) => revision)).toEqual([1]);
  });

  test('is over when a process starts with another text', () => {
    const first = governed(written(3), new PolicyShelf(file));
    first.live(6 * minute, refusing);
    const other = governed(written(5), new PolicyShelf(file));
    expect(other.rollback.policy.mode).toBe('enforce');
    expect(new PolicyShelf(file).givenUp).toBeNull();
  });
});

describe('by hand', () => {
  test('shadow, a kept revision, the last good one and back', () => {
    const { rollback, applied, live } = governed(written(1));
    live(11 * minute);
    const next = written(2);
    rollback.swapped(next.policy, next.text);
    const by = 'ann';
    expect(rollback.byHand({ to: 'shadow', by, reason: 'too eager' }).text).toMatchInlineSnapshot(
      `"ann rolled the policy back: too eager"`,
    );
    expect(rollback.byHand({ to: 1, by, reason: 'known' }).to.revision).toBe(1);
    expect(rollback.byHand({ to: 2, by, reason: 'again' }).to.mode).toBe('enforce');
    expect(rollback.state.isLatched).toBe(false);
    expect(rollback.byHand({ to: 'last-good', by, reason: 'no' }).to.revision).toBe(1);
    expect(rollback.setMode({ by, reason: 'mended' }).text).toMatchInlineSnapshot(
      `"ann put revision 2 in force in mode enforce: mended"`,
    );
    expect(rollback.setMode({ mode: 'observe', by, reason: 'quiet' }).to.mode).toBe('observe');
    expect(rollback.policy).toBe(applied.at(-1));
  });

  test('an unknown revision is refused with those that are known', () => {
    const { rollback, live } = governed(written(1));
    const ask = (): unknown => rollback.byHand({ to: 9, by: 'ann', reason: '' });
    expect(ask).toThrowErrorMatchingInlineSnapshot(
      `[PlimsollError: there is no good policy with revision 9.]`,
    );
    live(11 * minute);
    expect(ask).toThrow(expect.objectContaining({ fix: 'use one of 1, or --to shadow.' }));
  });

  test('shadow by hand while the last good policy is in force stays shadow over a restart', () => {
    const first = governed(written(1), new PolicyShelf(file));
    first.live(11 * minute);
    const next = written(2);
    first.rollback.swapped(next.policy, next.text);
    first.live(6 * minute, refusing);
    first.rollback.byHand({ to: 'shadow', by: 'ann', reason: 'both' });
    expect(governed(next, new PolicyShelf(file)).rollback.policy.mode).toBe('shadow');
  });
});

describe('the shelf', () => {
  test('is a file for its owner only, with the text and its hash', () => {
    const { live } = governed(written(7), new PolicyShelf(file));
    live(11 * minute);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const stored = JSON.parse(readFileSync(file, 'utf8')) as { good: { text: string; usual: object }[] };
    expect(stored.good[0]?.text).toBe(written(7).text);
    expect(stored.good[0]?.usual).toMatchObject({ operationsPerSecond: expect.closeTo(10, 0) });
  });

  test('keeps five and uses no text whose hash does not fit', () => {
    const shelf = new PolicyShelf(file);
    for (let revision = 1; revision <= 7; revision++) {
      const { policy, text } = written(revision);
      shelf.keep({ file: 'plimsoll.yaml', revision, sha256: policy.sha256, text, keptAt: revision });
    }
    expect(shelf.good.map(({ revision }) => revision)).toEqual([7, 6, 5, 4, 3]);
    const stored = readFileSync(file, 'utf8');
    writeFileSync(file, stored.replace('revision: 7', 'revision: 8'));
    const read = new PolicyShelf(file);
    expect(read.byRevision(7)).toBeUndefined();
    expect(read.lastGoodBut('')?.policy.revision).toBe(6);
  });

  test('that cannot be read or written is empty and harms nothing', () => {
    mkdirSync(join(dir, 'ledger'));
    for (const text of ['{', '{"v":2}', '{"v":1,"good":[null,{"text":1}],"givenUp":{}}']) {
      writeFileSync(file, text);
      const shelf = new PolicyShelf(file);
      expect([shelf.good, shelf.givenUp]).toEqual([[], null]);
    }
    const { live, records } = governed(written(1), new PolicyShelf(join(file, 'under', 'a-file')));
    live(11 * minute);
    live(6 * minute, refusing);
    expect(records.map(({ to }) => to.mode)).toEqual(['shadow']);
  });

  test('keeps no policy of which the text is not known', () => {
    const { rollback, live } = governed({ policy: written(1).policy });
    live(11 * minute);
    expect(rollback.state.good).toEqual([]);
  });
});

test('whoever is told may throw: the other policy is in force', () => {
  const { policy, text } = written(1);
  const patient = new Patient();
  const rollback = new Rollback(policy, text, {
    clock: { now: () => patient.nowMs, monotonic: () => patient.nowMs },
    apply: () => {
      throw new Error('no');
    },
    onRollback: () => {
      throw new Error('no');
    },
  });
  patient.live(6 * minute, (signals) => rollback.take(signals), refusing);
  expect(rollback.policy.mode).toBe('shadow');
});

test('a rung with a mode of its own enforces, and does not in shadow', () => {
  const lines = 'mode: observe\nladder: { warning: [ notify: { mode: enforce } ] }';
  const mixed = parsePolicy(`apiVersion: plimsoll/v1\n${lines}`, 'plimsoll.yaml');
  expect(isEnforcing(builtInPolicy)).toBe(false);
  expect(isEnforcing(mixed)).toBe(true);
  expect(isEnforcing(inMode(mixed, 'shadow'))).toBe(false);
  expect(inMode(mixed, 'enforce').ladder).toEqual(mixed.ladder);
});

test('whatever happens there is at most one rollback per cooldown and never more than one per enforced policy', () => {
  const step = fc.constantFrom('calm', 'refusing', 'growing', 'blocked-loop', 'swap');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { rollback, records, live } = governed(written(0));
      let revision = 0;
      for (const each of steps) {
        if (each === 'swap') {
          revision += 1;
          const next = written(revision);
          rollback.swapped(next.policy, next.text);
        } else {
          live(6 * minute, (it) => {
            if (each === 'refusing') refusing(it);
            if (each === 'growing') it.floor += 0.3 * mib;
            it.loopDelayMs = each === 'blocked-loop' ? 3000 : 5;
          });
        }
      }
      for (const [at, record] of records.entries()) {
        const before = records[at - 1];
        if (before !== undefined) expect(record.at - before.at).toBeGreaterThanOrEqual(60 * minute);
        expect(record.from.mode).toBe('enforce');
        expect(record.to).not.toEqual(record.from);
      }
      if (rollback.state.isLatched) expect(rollback.policy).not.toMatchObject({ revision, mode: 'enforce' });
    }),
    { numRuns: 60 },
  );
});
