import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, teach } from '../kernel/typescript/path-groups.ts';
import { ScratchFiles } from '../snapshot-builder.fixture.ts';
import { openSnapshot } from '../snapshot.ts';
import { HeapFixture } from '../trace/heap.fixture.ts';
import { Names } from '../trace/names.ts';
import { buildPathTree } from './path-tree.ts';

test('every object that can be seen is in one group, and all bytes are in some', async () => {
  using files = new ScratchFiles();
  const heap = new HeapFixture();
  heap.mention('registry', 'sessions', 'history', 'next');
  const owner = heap.property(heap.global, 'registry', 'object', 'Registry');
  const entries = Array.from({ length: 50 }, (_, i) => {
    const session = heap.node('object', 'Session', 500);
    heap.array(
      session,
      'history',
      Array.from({ length: i % 5 }, () => heap.node('object', 'Message', 200)),
    );
    return [heap.string(`sess-${i}`), session] as const;
  });
  heap.map(owner, 'sessions', entries);
  let link = heap.property(heap.global, 'head', 'object', 'Listener');
  for (let i = 0; i < 60; i++) link = heap.property(link, 'next', 'object', 'Listener', 64);
  heap.edge(heap.global, 'property', 'make', heap.closure('make', { pending: heap.node('object', 'Queue') }));
  heap.node('object', 'Nobody', 4096);
  const file = join(files.dir, 'small.heapsnapshot');
  writeFileSync(file, heap.text());
  const graph = await openSnapshot(file, { keepRows: true });
  const tree = buildPathTree(graph, new Names(graph, {}));
  const forest = graph.groupedPaths();
  const nodes = Array.from({ length: graph.nodeCount }, (_, node) => node);
  const reached = nodes.filter((node) => node === graph.meta.rootNode || forest.pathTo(node).length > 0);
  const sum = (of: readonly number[]): number => of.reduce((all, one) => all + one, 0);
  expect([graph.nodeCount - reached.length, tree.groups.length]).toEqual([1, 13]);
  expect(sum(tree.groups.map((group) => group.count))).toBe(
    reached.filter((node) => graph.isVisible(node)).length + 1,
  );
  expect(sum(tree.groups.map((group) => group.bytes))).toBe(
    sum(reached.map((node) => (node === graph.meta.rootNode ? 0 : graph.selfBytes(node)))),
  );
  for (const [k, { parent, via, name, fresh, count }] of tree.groups.entries()) {
    expect(parent).toBeLessThan(k);
    if (k === 0) continue;
    expect(fresh).toBe(count);
    expect(tree.child(parent, via, name)).toBe(k);
  }
  graph.close();
});

test('answers begin anew when their table is half full', () => {
  const answers = { pairs: new Uint32Array(16), used: 0 };
  const known = (): number[] => [1, 2, 3, 4, 5].map((key) => answer(answers, 16 * key));
  for (const key of [1, 2, 3, 4]) teach(answers, 16 * key, 10 * key);
  expect(known()).toEqual([10, 20, 30, 40, 0xffff_ffff]);
  teach(answers, 80, 50);
  expect(known()).toEqual([0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 50]);
});
