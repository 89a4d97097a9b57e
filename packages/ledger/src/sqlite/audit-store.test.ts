import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { PendingEntry } from '../audit-entry.ts';
import { folder } from '../folder.fixture.ts';
import { AuditStore, chainHead } from './audit-store.ts';
import { checkChain } from './chain-check.ts';
import { Database } from './database.ts';

const entry = (n: number, more: Partial<PendingEntry> = {}): PendingEntry => ({
  run: 1,
  n,
  at: 1000 + n,
  kind: 'level',
  scope: 'process',
  body: `{"n":${n}}`,
  ...more,
});

function open(path = join(folder(), 'audit.db')): { db: Database; store: AuditStore; path: string } {
  const db = new Database(path, { synchronous: 'FULL' });
  onTestFinished(() => db.close());
  return { db, store: new AuditStore(db), path };
}

test('entries form a chain that checks out', () => {
  const { db, store } = open();
  expect(checkChain(db)).toMatchObject({ ok: true, rows: 0, head: { seq: 0 } });
  const head = store.append([entry(1), entry(2), entry(3)]);
  expect(head.seq).toBe(3);
  expect(checkChain(db)).toEqual({ ok: true, rows: 3, head, prunedUpTo: 0, anchors: 0 });
});

test('an entry that comes again is stored once', () => {
  const { db, store } = open();
  const head = store.append([entry(1), entry(2)]);
  expect(store.append([entry(2), entry(1)])).toEqual(head);
  expect(db.number('SELECT count(*) FROM audit')).toBe(2);
});

test('rows cannot be changed or removed through SQL', () => {
  const { db, store } = open();
  store.append([entry(1)]);
  expect(() => db.exec("UPDATE audit SET kind = 'x'")).toThrow('the audit is append-only');
  expect(() => db.exec('DELETE FROM audit')).toThrow('the audit is append-only');
});

test('a row changed behind the triggers is named', () => {
  const { db, store } = open();
  store.append([entry(1), entry(2), entry(3)]);
  db.exec("DROP TRIGGER audit_no_update; UPDATE audit SET body = '{}' WHERE seq = 2");
  expect(checkChain(db)).toMatchObject({ ok: false, rows: 1, broken: { seq: 2, why: 'edited' } });
});

test('a row removed behind the triggers is named', () => {
  const { db, store } = open();
  store.append([entry(1), entry(2), entry(3)]);
  db.exec('DROP TRIGGER audit_no_delete; DELETE FROM audit WHERE seq = 2');
  expect(checkChain(db)).toMatchObject({ ok: false, broken: { seq: 3, why: 'missing' } });
});

test('two writers extend one chain', () => {
  const one = open();
  const two = open(one.path);
  for (let n = 1; n <= 20; n++) {
    (n % 2 === 0 ? one : two).store.append([entry(n, { run: n % 2 })]);
  }
  expect(checkChain(one.db)).toMatchObject({ ok: true, rows: 20 });
});

test('pruned entries leave an anchor and a record, and the chain still checks out', () => {
  const { db, store } = open();
  store.append([1, 2, 3, 4, 5].map((n) => entry(n)));
  const { body: _, ...own } = entry(-1, { kind: 'ledger' });
  expect(store.prune(3, own)).toBe(3);
  expect(checkChain(db)).toMatchObject({ ok: true, rows: 3, prunedUpTo: 3 });
  expect(
    db.get('SELECT seq, kind, json_extract(body, ?) AS removed FROM audit ORDER BY seq DESC', '$.removed'),
  ).toEqual({
    seq: 6,
    kind: 'ledger',
    removed: 3,
  });
  expect(() => db.exec('DELETE FROM audit')).toThrow('append-only');
  expect(store.prune(3, own)).toBe(0);
  expect(chainHead(db).seq).toBe(6);
});
