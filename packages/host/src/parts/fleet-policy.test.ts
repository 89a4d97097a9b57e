import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AssignedPolicy } from '@plimsoll/ledger/internal/postgres/policies';
import * as acting from './govern/acting.ts';
import { FleetPolicyPart, copyOf, fleetPolicyFile, versionOf } from './fleet-policy.ts';
import { PolicyPart } from './policy.ts';

const head = 'apiVersion: plimsoll/v1\n';
const assigned = (changes: Partial<AssignedPolicy> = {}): AssignedPolicy => ({
  version: 7,
  mode: 'enforce',
  text: `${head}mode: enforce\nrevision: 7\n`,
  sha256: 'a',
  ...changes,
});

interface Life {
  /** Without a file of its own when false. */
  readonly hasFile?: boolean;
  /** The folder of an earlier life. */
  readonly dir?: string;
}

/** The policy part of a process in a fleet, followed by the fleet's policy. */
function follower(
  answer: () => Promise<AssignedPolicy | null>,
  { hasFile = true, dir = mkdtempSync(join(tmpdir(), 'plimsoll-fleet-policy-')) }: Life = {},
): {
  readonly part: FleetPolicyPart;
  readonly policy: PolicyPart;
  readonly told: number[];
  readonly refused: string[];
  readonly file: string;
  readonly dir: string;
} {
  const own = join(dir, 'plimsoll.yaml');
  writeFileSync(own, `${head}mode: shadow\nrevision: 1\n`);
  const settings = {
    dir,
    ledgerDir: join(dir, 'ledger'),
    policyFile: hasFile ? own : undefined,
    ledgerUrl: 'postgres://db.internal/plimsoll',
    target: 'node a.js',
    maxPauseMs: undefined,
    isSupervised: false,
  };
  const policy = new PolicyPart(settings, { acting }, () => undefined);
  const told: number[] = [];
  const refused: string[] = [];
  policy.follow((next) => told.push(next.revision));
  const part = new FleetPolicyPart({
    dir,
    ask: answer,
    changed: (file) => policy.useFleet(file),
    refused: (text) => refused.push(text),
  });
  onTestFinished(async () => {
    await part.stop();
    policy.stop();
  });
  return { part, policy, told, refused, file: fleetPolicyFile(dir), dir };
}

test('the copy carries its version and the mode of the roll-out', () => {
  expect(copyOf(assigned())).toMatchInlineSnapshot(`
    "# fleet policy version 7, mode enforce; written by plimsoll, do not edit
    apiVersion: plimsoll/v1
    mode: enforce
    revision: 7
    "
  `);
  expect(copyOf(assigned({ mode: 'shadow' }))).toContain('\nmode: shadow\nrevision: 7\n');
  expect(copyOf(assigned({ mode: 'shadow', text: 'revision: 7\n' }))).toContain(
    '\nmode: shadow\nrevision: 7\n',
  );
  expect(versionOf(copyOf(assigned()))).toBe(7);
  expect(versionOf('mode: shadow')).toBeUndefined();
});

test('a process goes by the fleet’s policy, and by its own file when the fleet has none', async () => {
  let answer: AssignedPolicy | null = assigned();
  const { part, policy, told, file } = follower(() => Promise.resolve(answer));
  part.start();
  await part.look();
  expect(told).toEqual([7]);
  expect(policy.fleetVersion).toBe(7);
  expect(policy.row('enforce', null).file).toBe(file);
  await part.look();
  expect(told).toEqual([7]);
  answer = assigned({ version: 8, text: `${head}mode: enforce\nrevision: 8\n` });
  await part.look();
  expect(told).toEqual([7, 8]);
  expect(policy.fleetVersion).toBe(8);
  answer = null;
  await part.look();
  expect(told).toEqual([7, 8, 1]);
  expect(policy.fleetVersion).toBeNull();
});

test('without the database, and after a restart, the last good policy holds', async () => {
  let isAway = false;
  const { part, told, dir } = follower(() =>
    isAway ? Promise.reject(new Error('connect ECONNREFUSED')) : Promise.resolve(assigned()),
  );
  await part.look();
  isAway = true;
  await part.look();
  expect(told).toEqual([7]);
  const next = follower(() => Promise.reject(new Error('connect ECONNREFUSED')), { dir });
  next.part.start();
  await next.part.look();
  expect(next.policy.inForce.revision).toBe(7);
  expect(next.policy.fleetVersion).toBe(7);
  // Nothing changed, so nobody is told: to the guard a change is the word of a human that a policy which was given up is wanted again.
  expect(next.told).toEqual([]);
  const back = follower(() => Promise.resolve(assigned()), { dir });
  await back.part.look();
  expect(back.told).toEqual([]);
});

test('a process without a policy file takes the fleet’s, and observes again when the fleet has none', async () => {
  let answer: AssignedPolicy | null = assigned();
  const { part, policy, told, dir } = follower(() => Promise.resolve(answer), { hasFile: false });
  expect(policy.inForce.mode).toBe('observe');
  expect(policy.mayAct).toBe(true);
  expect(policy.row('observe', null).revision).toBeNull();
  await part.look();
  expect(told).toEqual([7]);
  expect(policy.fleetVersion).toBe(7);
  const next = follower(() => Promise.reject(new Error('connect ECONNREFUSED')), { dir, hasFile: false });
  expect(next.policy.inForce).toMatchObject({ revision: 7, mode: 'enforce' });
  expect(next.policy.own.mode).toBe('observe');
  expect(next.policy.row('enforce', null)).toMatchObject({ file: fleetPolicyFile(dir), revision: 7 });
  answer = null;
  await part.look();
  expect(told).toEqual([7, 0]);
  expect(policy.fleetVersion).toBeNull();
});

test('a policy that cannot be used is reported once, and the last good one stays', async () => {
  let answer = assigned();
  const { part, told, refused, file } = follower(() => Promise.resolve(answer));
  await part.look();
  answer = assigned({ version: 9, text: 'mode: nonsense\n', sha256: 'b' });
  await part.look();
  await part.look();
  expect(refused).toEqual([expect.stringMatching(/^version 9 of the fleet's policy cannot be used: /)]);
  expect(told).toEqual([7]);
  expect(readFileSync(file, 'utf8')).toContain('version 7');
});

test('a copy that was damaged on the disk stops nobody, and is replaced', async () => {
  const { file, dir } = follower(() => Promise.resolve(null));
  writeFileSync(file, 'mode: [');
  const { part, policy, told } = follower(() => Promise.resolve(assigned()), { dir });
  expect(policy.inForce.revision).toBe(1);
  part.start();
  await part.look();
  expect(told).toEqual([7]);
});
