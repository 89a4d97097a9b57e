import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRoles } from './roles.ts';

const file = (text: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'plimsoll-roles-')), 'roles.yaml');
  writeFileSync(path, text, { mode: 0o600 });
  return path;
};
const sha256 = createHash('sha256').update('secret').digest('hex');
const roles = `
tokens: [{ name: wall, sha256: ${sha256}, role: viewer }]
proxy: { header: x-forwarded-user, from: [10.0.0.7] }
users: { ann: admin, bob: approver }
`;

test('a role comes from a token or from the header of a trusted proxy, and from nowhere else', () => {
  const book = readRoles(file(roles));
  expect(book.byToken('secret')).toMatchObject({ name: 'wall', role: 'viewer', isOwner: false });
  expect(book.byToken('guess')).toBeUndefined();
  const as = (user: string | undefined) => (name: string) => (name === 'x-forwarded-user' ? user : undefined);
  expect(book.byProxy(as('ann'), '10.0.0.7')).toMatchObject({ by: 'user:ann', role: 'admin' });
  expect(book.byProxy(as('bob'), '::ffff:10.0.0.7')).toMatchObject({ role: 'approver' });
  // Anybody can send a header; only the proxy is believed.
  expect(book.byProxy(as('ann'), '10.0.0.8')).toBeUndefined();
  expect(book.byProxy(as('ann'), undefined)).toBeUndefined();
  expect(book.byProxy(as('eve'), '10.0.0.7')).toBeUndefined();
  expect(book.byProxy(as(undefined), '10.0.0.7')).toBeUndefined();
  expect(book.byProxy(as('constructor'), '10.0.0.7')).toBeUndefined();
  const open = readRoles(file("proxy: { header: x-user }\nusers: { '*': viewer }\n"));
  expect(open.byProxy(() => 'anyone', '127.0.0.1')).toMatchObject({ role: 'viewer' });
  expect(open.byProxy(() => 'two words', '127.0.0.1')).toBeUndefined();
  expect(readRoles(file('')).byToken('x')).toBeUndefined();
});

test.each([
  ['users: { ann: king }\nproxy: { header: a }', /"king", the role of ann/],
  ['users: { ann: admin }', /proxy\.header/],
  ['tokens: [{ name: a, sha256: short, role: viewer }]', /no sha256/],
  [`tokens: [{ name: a, sha256: ${sha256}, role: boss }]`, /"boss" is no role/],
  ['rolls: {}', /"rolls" is not a key/],
  ['- a', /no map/],
  ['a: [', /roles\.yaml|cannot be used|roles/],
])('a file of roles that cannot be meant is refused: %s', (text, reason) => {
  expect(() => readRoles(file(text))).toThrowError(reason);
});
