import { chmodSync, mkdtempSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { addApprover, approverFile, findApprover } from './approver-file.ts';

let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-approvers-'));
  file = approverFile(join(dir, 'run'), {});
});

test('a token is found again, is kept nowhere, and only the owner may touch the file', () => {
  const token = addApprover(file, 'ada', ['sre', 'sre']);
  expect(token).toMatch(/^plm_[\w-]{43}$/);
  const found = findApprover(file, token);
  expect(found).toEqual({ name: 'ada', by: 'user:ada', groups: ['sre'], isOwner: false });
  expect(found?.token).toBe(token);
  expect(readFileSync(file, 'utf8')).not.toContain(token.slice(4));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(dir, 'run')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(dir, 'run'))).toEqual(['approvers.json']);
});

test('an approver that is written into a log or an answer does not carry its token', () => {
  const token = addApprover(file, 'ada', []);
  const found = findApprover(file, token);
  expect(JSON.stringify({ ...found })).not.toContain('plm_');
  expect(inspect(found)).not.toContain('plm_');
});

test('a new token replaces the one before, however the name is spelt', () => {
  const old = addApprover(file, 'ada', ['sre']);
  const fresh = addApprover(file, 'user:Ada', []);
  const captain = addApprover(file, 'agent:captain', []);
  expect(findApprover(file, old)).toBeUndefined();
  expect(findApprover(file, fresh)).toMatchObject({ by: 'user:Ada', groups: [] });
  expect(findApprover(file, captain)).toMatchObject({ by: 'agent:captain', name: 'captain' });
});

test('no other token counts, nor an endless one', () => {
  const token = addApprover(file, 'ada', []);
  for (const wrong of ['', 'plm_', token.slice(0, -1), `${token}x`, 'x'.repeat(10_000)])
    expect(findApprover(file, wrong)).toBeUndefined();
  expect(findApprover(join(dir, 'none.json'), token)).toBeUndefined();
});

test('names and groups that cannot be meant', () => {
  for (const name of ['', 'group:sre', 'a b', 'user:', 'x'.repeat(80), '../x', 'a\u001b[31m'])
    expect(() => addApprover(file, name, [])).toThrow('NAME is');
  expect(() => addApprover(file, 'ada', ['s re'])).toThrow(
    '--group is "s re"; it has to be a name such as sre.',
  );
});

test('a file that others may write, or that is no list of ours, proves nothing', () => {
  const token = addApprover(file, 'ada', []);
  chmodSync(file, 0o666);
  expect(() => findApprover(file, token)).toThrowErrorMatchingInlineSnapshot(
    `[PlimsollError: the approvers cannot be read: others than its owner may write it (mode 666).]`,
  );
  chmodSync(file, 0o600);
  for (const text of ['{', '[]', '{"approvers":[{"name":"owner"}]}', '{"approvers":[null]}', 'null']) {
    writeFileSync(file, text);
    expect(() => findApprover(file, token)).toThrow(/the approvers cannot be read/);
    expect(() => addApprover(file, 'bob', [])).toThrow(/the approvers cannot be read/);
  }
});

test('approvers in a folder that another user can replace let nobody in', () => {
  const token = addApprover(file, 'ada', []);
  chmodSync(dir, 0o777);
  expect(() => findApprover(file, token)).toThrow(/the approvers cannot be read: any user may remove/);
  expect(() => addApprover(file, 'eve', [])).toThrow(/the approvers cannot be read/);
});

test('a folder that cannot be written is said', () => {
  writeFileSync(join(dir, 'flat'), '');
  expect(() => addApprover(join(dir, 'flat', 'approvers.json'), 'ada', [])).toThrow(/flat/);
  const longName = join(dir, 'x'.repeat(250));
  expect(() => addApprover(longName, 'ada', [])).toThrow('could not be written');
  const crowd = Array.from({ length: 1000 }, (_, i) => ({
    name: `user:u${i}`,
    groups: [],
    sha256: '0'.repeat(64),
    createdAt: 0,
  }));
  writeFileSync(join(dir, 'crowd.json'), JSON.stringify({ approvers: crowd }), { mode: 0o600 });
  expect(() => addApprover(join(dir, 'crowd.json'), 'ada', [])).toThrow('1000 approvers already');
});

test('the environment may name another file', () => {
  expect(approverFile('/x', { PLIMSOLL_APPROVERS: '/etc/plimsoll/approvers.json' })).toBe(
    '/etc/plimsoll/approvers.json',
  );
  expect(approverFile('/x', { PLIMSOLL_APPROVERS: '' })).toBe('/x/approvers.json');
});
