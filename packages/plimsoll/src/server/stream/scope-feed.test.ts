import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scopeRow } from '../governed.fixture.ts';
import { ScopeFeed, nothingRead } from './scope-feed.ts';

/** A reader as slow as it likes, with what it believes. */
class Reader {
  readonly seen = new Map<string, number>();
  cursor = nothingRead;

  /** Takes one page; true when there was one. */
  read(table: ScopeFeed): boolean {
    const change = table.since(this.cursor, 0);
    if (change === undefined) return false;
    if (change.event.full) this.seen.clear();
    for (const row of change.event.rows) this.seen.set(row.path, row.bytes);
    for (const path of change.event.gone) this.seen.delete(path);
    this.cursor = change.cursor;
    return true;
  }
}

const step = fc.oneof(
  fc.record({
    kind: fc.constant('apply' as const),
    rows: fc.array(fc.record({ path: fc.nat(20), bytes: fc.nat(99) }), { maxLength: 6 }),
    gone: fc.array(fc.nat(20), { maxLength: 4 }),
    full: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('read' as const), who: fc.nat(2) }),
);

test('whoever reads when it likes ends up with what is there', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const table = new ScopeFeed();
      const truth = new Map<string, number>();
      const readers = [new Reader(), new Reader(), new Reader()];
      for (const each of steps) {
        if (each.kind === 'read') {
          readers[each.who]?.read(table);
          continue;
        }
        if (each.full) truth.clear();
        for (const { path, bytes } of each.rows) truth.set(`p${path}`, bytes);
        for (const path of each.gone) truth.delete(`p${path}`);
        const rows = each.rows.map(({ path, bytes }) => scopeRow(`p${path}`, { bytes }));
        table.apply(
          rows,
          each.gone.map((path) => `p${path}`),
          0,
          each.full,
        );
      }
      for (const reader of readers) {
        let pages = 0;
        while (reader.read(table)) expect(++pages).toBeLessThan(10);
        expect(reader.seen).toEqual(truth);
      }
    }),
  );
});

test('a table comes in pages of a thousand; paths that closed long ago are forgotten, and who missed them begins anew', () => {
  const table = new ScopeFeed();
  const rows = Array.from({ length: 2500 }, (_, i) => scopeRow(`p${i}`));
  table.apply(rows, [], 0, true);
  const reader = new Reader();
  expect([reader.read(table), reader.read(table), reader.read(table), reader.read(table)]).toEqual([
    true,
    true,
    true,
    false,
  ]);
  const late = reader.cursor;
  for (let i = 0; i < 25_000; i++) {
    table.apply([scopeRow(`q${i}`)], [], 0, false);
    table.apply([], [`q${i}`], 0, false);
  }
  expect(table.since(late, 0)?.event.full).toBe(true);
  while (reader.read(table));
  expect(reader.seen.size).toBe(2500);
});

test('rows age while nothing is said about them', () => {
  const table = new ScopeFeed();
  table.apply([scopeRow('p', { ageMs: 1000, idleMs: 10 })], [], 5000, true);
  expect(table.rows(6500)).toMatchObject([{ ageMs: 2500, idleMs: 1510 }]);
  expect(table.since(nothingRead, 5000)?.event.rows).toMatchObject([{ ageMs: 1000 }]);
});
