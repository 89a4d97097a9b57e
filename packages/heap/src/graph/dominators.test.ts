import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildSnapshot,
  chunksOf,
  ScratchFiles,
  type BuiltEdge,
  type BuiltNode,
} from '../snapshot-builder.fixture.ts';
import { openSnapshot, type HeapGraph } from '../snapshot.ts';
import { truthOf, type Truth } from './oracle.fixture.ts';

const types = ['object', 'object', 'object', 'array', 'hidden', 'string', 'closure', 'native', 'synthetic'];
const edgeKinds = ['property', 'property', 'element', 'internal', 'weak', 'shortcut', 'context'];

/** Graphs of up to 24 nodes with weak edges, shortcuts, WeakMap pairs, backing stores and unreachable parts. */
const graphs: fc.Arbitrary<readonly BuiltNode[]> = fc
  .integer({ min: 1, max: 24 })
  .chain((count) => {
    const edge = fc.record({
      type: fc.constantFrom(...edgeKinds),
      to: fc.integer({ min: 0, max: count - 1 }),
    });
    const node = fc.record({
      type: fc.constantFrom(...types),
      name: fc.constantFrom('A', 'B', 'Object'),
      size: fc.integer({ min: 0, max: 64 }),
      edges: fc.array(edge, { maxLength: 4 }),
    });
    const pairs = fc.array(fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: 0, max: count - 1 }))), {
      maxLength: 3,
    });
    return fc.tuple(fc.array(node, { minLength: count, maxLength: count }), pairs);
  })
  .map(([nodes, pairs]) => {
    const edges: BuiltEdge[][] = nodes.map((node) =>
      node.edges.map((edge) => ({ ...edge, name: edge.type === 'element' ? 3 : 'p' })),
    );
    for (const [table, key, value] of pairs as [number, number, number][]) {
      const name = ` / part of key (K @${2 * key + 1}) -> value (V @${2 * value + 1}) pair in WeakMap (table @${2 * table + 1})`;
      edges[table]?.push({ type: 'internal', name: `1${name}`, to: value });
      edges[key]?.push({ type: 'internal', name: `2${name}`, to: value });
    }
    return nodes.map((node, n) => ({
      ...node,
      type: n === 0 ? 'synthetic' : node.type,
      edges: edges[n] as BuiltEdge[],
    }));
  });

function answers(graph: HeapGraph, nodes: readonly BuiltNode[]): Truth {
  const tree = graph.dominators();
  const all = nodes.map((_, n) => n);
  return {
    selfBytes: all.map((n) => graph.selfBytes(n)),
    idom: all.map((n) => tree.idom(n)),
    retainedBytes: all.map((n) => tree.retainedBytes(n)),
    essential: nodes.map((node, n) =>
      (node.edges ?? []).map((_, k) => graph.isEssentialEdge(n, graph.firstEdge(n) + k)),
    ),
    unreachable: tree.unreachable,
  };
}

describe.each(['typescript', 'wasm'] as const)('dominators and sizes, %s', (kernel) => {
  it('are what taking nodes away shows, from a file', { timeout: 300_000 }, async () => {
    using files = new ScratchFiles();
    await fc.assert(
      fc.asyncProperty(graphs, async (nodes) => {
        const graph = await openSnapshot(files.write(buildSnapshot(nodes), 'random.heapsnapshot'), {
          kernel,
        });
        expect(answers(graph, nodes)).toEqual(truthOf(nodes));
        graph.close();
      }),
      { numRuns: 400, seed: 20_261_115 },
    );
  });

  it('are the same from a stream', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (nodes) => {
        const graph = await openSnapshot(chunksOf(buildSnapshot(nodes, { style: 'node22' })), { kernel });
        expect(answers(graph, nodes)).toEqual(truthOf(nodes));
        graph.close();
      }),
      { numRuns: 150, seed: 7 },
    );
  });
});

describe('children and classes', () => {
  it('partition the tree, and count each class once', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (nodes) => {
        const graph = await openSnapshot(chunksOf(buildSnapshot(nodes)));
        const tree = graph.dominators();
        const rows = graph.constructors();
        const truth = truthOf(nodes);
        nodes.forEach((_, n) => {
          const children = [...tree.children(n)].sort((a, b) => a - b);
          expect(children).toEqual(truth.idom.flatMap((d, v) => (d === n && v !== 0 ? [v] : [])));
        });
        const sum = rows.reduce((bytes, row) => bytes + row.shallowBytes, 0);
        expect(sum).toBe(truth.selfBytes.reduce((bytes, size) => bytes + size, 0));
        expect(classRetained(graph, truth, 'A')).toBe(
          rows.find((row) => row.name === 'A')?.retainedBytes ?? 0,
        );
      }),
      { numRuns: 150, seed: 3 },
    );
  });
});

/** Retained bytes of the instances of a class that no other instance dominates. */
function classRetained(graph: HeapGraph, truth: Truth, name: string): number {
  const isOne = (n: number): boolean =>
    ['object', 'native'].includes(graph.nodeType(n)) &&
    graph.nodeName(n) === name &&
    truth.selfBytes[n] !== 0;
  let sum = 0;
  for (let n = 0; n < graph.nodeCount; n++) {
    if (!isOne(n)) continue;
    let above = n;
    do above = truth.idom[above] as number;
    while (above !== 0 && !isOne(above));
    if (above === 0) sum += truth.retainedBytes[n] as number;
  }
  return sum;
}
