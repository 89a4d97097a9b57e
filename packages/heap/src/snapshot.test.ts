import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  buildSnapshot,
  chunksOf,
  ScratchFiles,
  type BuiltNode,
  type BuildOptions,
} from './snapshot-builder.fixture.ts';
import { openSnapshot, type HeapGraph, type SnapshotReadOptions } from './snapshot.ts';

/** A root with a global object that holds a Map-like chain, a rope, a weak edge and a shared array. */
const nodes: readonly BuiltNode[] = [
  {
    type: 'synthetic',
    name: '',
    size: 0,
    edges: [
      { type: 'shortcut', name: 'global', to: 1 },
      { type: 'element', name: 1, to: 6 },
    ],
  },
  {
    name: 'global',
    size: 100,
    edges: [
      { name: 'store', to: 2 },
      { type: 'weak', name: 'ref', to: 5 },
    ],
  },
  {
    name: 'Store',
    size: 40,
    edges: [
      { type: 'internal', name: 'elements', to: 3 },
      { type: 'context', name: 'last "x"\n', to: 4 },
      { type: 'hidden', name: 7, to: 4 },
    ],
  },
  { type: 'array', name: '(elements)', size: 800, edges: [{ type: 'element', name: 12, to: 4 }] },
  { type: 'string', name: 'héllo "wörld" \u2028 \\ 😀', size: 32 },
  { type: 'object', name: 'OnlyWeak', size: 24 },
  { type: 'synthetic', name: '(GC roots)', size: 0, edges: [{ type: 'element', name: 3, to: 2 }] },
];

const kernels = ['typescript', 'wasm'] as const;

function facts(graph: HeapGraph): unknown {
  const dominators = graph.dominators();
  return Array.from({ length: graph.nodeCount }, (_, n) => ({
    node: [graph.nodeType(n), graph.nodeName(n), graph.nodeId(n), graph.selfBytes(n), graph.detachedness(n)],
    edges: Array.from({ length: graph.lastEdge(n) - graph.firstEdge(n) }, (_unused, k) => {
      const e = graph.firstEdge(n) + k;
      return [graph.edgeType(e), graph.edgeName(e), graph.edgeTo(e), graph.isEssentialEdge(n, e)];
    }),
    tree: [dominators.idom(n), dominators.retainedBytes(n), dominators.depth(n), [...dominators.children(n)]],
    pathBefore: graph.paths([n]),
    retainers: [...graph.retainers(n)].map(({ from, edge }) => [from, edge]),
    path: graph.paths([n]),
    location: graph.location(n),
  }));
}

async function withFile<T>(
  text: string,
  options: SnapshotReadOptions,
  use: (graph: HeapGraph) => T,
): Promise<T> {
  using files = new ScratchFiles();
  const graph = await openSnapshot(files.write(text), options);
  try {
    return use(graph);
  } finally {
    graph.close();
  }
}

describe.each(kernels)('a small snapshot, %s', (kernel) => {
  it('answers by node and edge', async () => {
    const text = buildSnapshot(nodes, { locations: [[2, 9, 3, 14]], header: { extra_native_bytes: 77 } });
    await withFile(text, { kernel }, (graph) => {
      expect([graph.nodeCount, graph.edgeCount, graph.fileBytes]).toEqual([7, 9, Buffer.byteLength(text)]);
      expect(graph.meta).toMatchObject({ format: 'Node 24 or later', extraNativeBytes: 77, rootNode: 0 });
      expect(graph.nodeName(4)).toBe('héllo "wörld" \u2028 \\ 😀');
      expect(graph.edgeName(5)).toBe('last "x"\n');
      expect(graph.location(2)).toEqual({ scriptId: 9, line: 3, column: 14 });
      expect(graph.location(3)).toBeUndefined();
      expect(graph.string(9999)).toBe('');
    });
  });

  it('counts a backing store for its owner, and weak or foreign edges for nobody', async () => {
    await withFile(buildSnapshot(nodes), { kernel }, (graph) => {
      const dominators = graph.dominators();
      expect(graph.selfBytes(2)).toBe(840);
      expect(graph.selfBytes(3)).toBe(0);
      expect([1, 2, 4, 5].map((n) => dominators.idom(n))).toEqual([0, 1, 2, 0]);
      expect([0, 1, 2, 4, 5].map((n) => dominators.retainedBytes(n))).toEqual([996, 972, 872, 32, 24]);
      expect(dominators.unreachable).toBe(1);
      expect(graph.isEssentialEdge(6, 8)).toBe(false);
      expect(
        graph
          .paths([4])
          .get(4)
          ?.map(({ edge }) => graph.edgeName(edge)),
      ).toEqual(['global', 'store', 'last "x"\n']);
      expect(graph.paths([5])).toEqual(new Map());
      expect(
        graph.constructors().map((row) => [row.name, row.count, row.shallowBytes, row.retainedBytes]),
      ).toEqual([
        ['global', 1, 100, 972],
        ['Store', 1, 840, 872],
        ['(string)', 1, 32, 32],
        ['OnlyWeak', 1, 24, 24],
      ]);
    });
  });

  const layouts: readonly BuildOptions['style'][] = ['node22', 'pretty', 'permuted'];
  it.each(layouts)('reads the same from layout %s', async (style) => {
    const expected = await withFile(buildSnapshot(nodes), { kernel }, facts);
    expect(await withFile(buildSnapshot(nodes, { style: style ?? 'node24' }), { kernel }, facts)).toEqual(
      expected,
    );
  });

  it.each([1, 7, 64, 1e9])('reads the same from a stream in chunks of %d bytes', async (bytes) => {
    const text = buildSnapshot(nodes, { locations: [[2, 9, 3, 14]] });
    const expected = await withFile(text, { kernel }, facts);
    const graph = await openSnapshot(chunksOf(text, bytes), { kernel });
    expect(facts(graph)).toEqual(expected);
    expect(graph.constructors()).toEqual(await withFile(text, { kernel }, (other) => other.constructors()));
    expect(graph.file).toBeNull();
    graph.close();
  });

  it('skips sections it does not know', async () => {
    const extraSections = { scopes: '[1,[2,"]\\""],{"a":"}"}]', note: '"x"', version: '12', flag: 'true' };
    const expected = await withFile(buildSnapshot(nodes), { kernel }, facts);
    expect(await withFile(buildSnapshot(nodes, { extraSections }), { kernel }, facts)).toEqual(expected);
  });

  it('reads in file order when the strings are written in another way', async () => {
    const text = buildSnapshot(nodes);
    const spaced = text.replace('"strings":[', '"strings" : [');
    const inner = text.replace('"trace_tree":[]', '"trace_tree":[{"strings":["a"]}]');
    const expected = await withFile(text, { kernel }, facts);
    expect(await withFile(spaced, { kernel }, facts)).toEqual(expected);
    expect(await withFile(inner, { kernel }, facts)).toEqual(expected);
    const late = `${spaced.slice(0, -1)},"other":{"strings":["b"]}}`;
    expect(await withFile(late, { kernel }, facts)).toEqual(expected);
  });

  it('joins classes of one name in one row that counts nothing twice', async () => {
    const nested = [
      { type: 'synthetic', name: '', size: 0, edges: [{ type: 'shortcut', name: 'g', to: 1 }] },
      { name: 'global', size: 10, edges: [{ name: 'a', to: 2 }] },
      { name: 'Outer', size: 100, edges: [{ name: 'b', to: 3 }] },
      { name: 'Inner', size: 1000 },
    ];
    await withFile(buildSnapshot(nested), { kernel }, (graph) => {
      const joined = graph.constructors((name) => (name === 'global' ? name : 'Any'));
      expect(joined.find((row) => row.name === 'Any')).toEqual({
        name: 'Any',
        count: 2,
        shallowBytes: 1100,
        retainedBytes: 1100,
      });
    });
  });

  it('takes sizes beyond 32 bits, one by one and in sum', async () => {
    const large = 6 * 2 ** 32 + 5;
    const built: readonly BuiltNode[] = [
      { type: 'synthetic', size: 0, edges: [{ type: 'shortcut', name: 'global', to: 1 }] },
      {
        name: 'Big',
        size: large,
        edges: [
          { name: 'a', to: 2 },
          { name: 'b', to: 3 },
        ],
      },
      { name: 'Half', size: 2 ** 32 - 9, edges: [{ type: 'internal', name: 'store', to: 4 }] },
      { name: 'Half', size: 2 ** 31, edges: [] },
      { type: 'array', size: 100 },
    ];
    await withFile(buildSnapshot(built), { kernel }, (graph) => {
      expect(graph.selfBytes(2)).toBe(2 ** 32 + 91);
      expect(graph.dominators().retainedBytes(1)).toBe(large + 2 ** 32 + 91 + 2 ** 31);
      expect([...graph.dominators().children(1)]).toEqual([2, 3]);
      expect(graph.constructors()).toEqual([
        { name: 'Big', count: 1, shallowBytes: large, retainedBytes: large + 2 ** 32 + 91 + 2 ** 31 },
        {
          name: 'Half',
          count: 2,
          shallowBytes: 2 ** 32 + 91 + 2 ** 31,
          retainedBytes: 2 ** 32 + 91 + 2 ** 31,
        },
      ]);
    });
  });
});

describe('openSnapshot', () => {
  it('reads gzip and zstd by their magic bytes', async () => {
    using files = new ScratchFiles();
    const text = buildSnapshot(nodes);
    const expected = await withFile(text, {}, facts);
    for (const bytes of [gzipSync(text), zstdCompressSync(text)]) {
      const graph = await openSnapshot(files.write(bytes));
      expect(facts(graph)).toEqual(expected);
      graph.close();
    }
  });

  it('reports progress and keeps the phase', async () => {
    const seen: { phase: string; ratio: number }[] = [];
    await withFile(buildSnapshot(nodes), { onProgress: (progress) => void seen.push(progress) }, () => {});
    expect(seen).toEqual([{ phase: 'read', ratio: 0 }]);
    const failing = (): never => {
      throw new Error('no terminal');
    };
    expect(await withFile(buildSnapshot(nodes), { onProgress: failing }, (graph) => graph.nodeCount)).toBe(7);
  });

  it('refuses to answer after close', async () => {
    using files = new ScratchFiles();
    const graph = await openSnapshot(files.write(buildSnapshot(nodes), 'closed.heapsnapshot'));
    graph.close();
    graph.close();
    expect(() => graph.nodeName(1)).toThrow('the snapshot has been closed.');
    expect(() => graph.dominators()).toThrow('the snapshot has been closed.');
  });
});
