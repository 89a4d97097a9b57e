import { expect, test } from 'vitest';
import type { ScopeRow } from '@plimsoll/host/protocol/frame';
import type { KnownScope } from '../live/known-scopes.ts';
import { scopeMap } from './scope-map.ts';
import { treeLines, type SortKey, type TreeView } from './tree.ts';

function scope(path: string, bytes: number, changes: Partial<ScopeRow> = {}): KnownScope {
  const row: ScopeRow = {
    path,
    kind: 'x',
    bytes,
    by: 'census',
    measuredAt: 0,
    spread: null,
    peakBytes: bytes,
    budgetBytes: null,
    level: 'normal',
    ageMs: bytes,
    idleMs: 0,
    leases: 0,
    ...changes,
  };
  return { row, at: 0 };
}

const all = [
  scope('process/agent:a', 10, { leases: 3, budgetBytes: 100 }),
  scope('process/agent:a/session:10', 4, { idleMs: 9 }),
  scope('process/agent:a/session:9', 30, { level: 'critical', budgetBytes: 31 }),
  scope('process/agent:b', 20, { peakBytes: 99 }),
];

const view: TreeView = { sort: 'bytes', descending: true, filter: '', flat: false, folded: new Set() };
const drawn = (changes: Partial<TreeView>): string[] =>
  treeLines(all, { ...view, ...changes }, 0).map(
    ({ name, depth, bytes, children, open }) =>
      `${' '.repeat(depth)}${children > 0 ? (open ? '-' : '+') : ' '}${name} ${bytes}`,
  );

test('a branch holds at least what its children hold, the heaviest first', () => {
  expect(drawn({})).toEqual([
    '-process 54',
    ' -agent:a 34',
    '   session:9 30',
    '   session:10 4',
    '  agent:b 20',
  ]);
});

test('a folded branch hides its children', () => {
  expect(drawn({ folded: new Set(['process/agent:a']) })).toEqual([
    '-process 54',
    ' +agent:a 34',
    '  agent:b 20',
  ]);
});

test('all words of the filter have to be in the path', () => {
  expect(drawn({ filter: 'AGENT:A session' })).toEqual([
    '-process 34',
    ' -agent:a 34',
    '   session:9 30',
    '   session:10 4',
  ]);
  expect(drawn({ filter: 'nowhere' })).toEqual([]);
});

test('as a list, every scope stands for itself', () => {
  expect(drawn({ flat: true, sort: 'name', descending: false })).toEqual([
    ' process/agent:a 10',
    ' process/agent:a/session:9 30',
    ' process/agent:a/session:10 4',
    ' process/agent:b 20',
  ]);
});

test.each<[SortKey, string]>([
  ['peak', 'process/agent:b'],
  ['leases', 'process/agent:a'],
  ['budget', 'process/agent:a/session:9'],
  ['age', 'process/agent:a/session:9'],
  ['idle', 'process/agent:a/session:10'],
])('sorted by %s, %s comes first', (sort, first) => {
  expect(treeLines(all, { ...view, sort, flat: true }, 0)[0]?.path).toBe(first);
});

test('the map nests scopes and colours those above normal', () => {
  const map = scopeMap(all);
  expect(map.bytes).toBe(54);
  const agent = map.children?.[0]?.children?.find((mass) => mass.name === 'agent:a');
  expect(agent?.bytes).toBe(34);
  expect(agent?.children?.map(({ name, tone }) => [name, tone])).toEqual([
    ['session:9', 'map-critical'],
    ['session:10', undefined],
  ]);
});

test('the map draws the heaviest of very many', () => {
  const many = Array.from({ length: 5000 }, (_, i) => scope(`process/session:${i}`, i));
  expect(scopeMap(many).children?.[0]?.children).toHaveLength(600);
});
