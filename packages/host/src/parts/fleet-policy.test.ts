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

/** A policy part with a file of its own, followed by the fleet's. */
function follower(answer: () => Promise<AssignedPolicy | null>): {
  readonly part: FleetPolicyPart;
  readonly policy: PolicyPart;
  readonly told: number[];
  readonly refused: string[];
  readonly file: string;
} {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-fleet-policy-'));
  const own = join(dir, 'plimsoll.yaml');
  writeFileSync(own, `${head}mode: shadow\nrevision: 1\n`);
  const settings = {
    dir,
    ledgerDir: join(dir, 'ledger'),
    policyFile: own,
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
  return { part, policy, told, refused, file: fleetPolicyFile(dir) };
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
  const { part, told, file } = follower(() =>
    isAway ? Promise.reject(new Error('connect ECONNREFUSED')) : Promise.resolve(assigned()),
  );
  await part.look();
  isAway = true;
  await part.look();
  expect(told).toEqual([7]);
  const next = follower(() => Promise.reject(new Error('connect ECONNREFUSED')));
  writeFileSync(next.file, readFileSync(file));
  next.part.start();
  expect(next.told).toEqual([7]);
  await next.part.look();
  expect(next.told).toEqual([7]);
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

test('a copy that was damaged on the disk stops nobody', () => {
  const { part, told, file } = follower(() => Promise.resolve(null));
  writeFileSync(file, 'mode: [');
  part.start();
  expect(told).toEqual([]);
});
