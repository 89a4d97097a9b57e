import { describe, expect, it } from 'vitest';
import {
  buildSnapshot,
  chunksOf,
  ScratchFiles,
  type BuiltNode,
  type BuildOptions,
} from '../snapshot-builder.fixture.ts';
import { openSnapshot } from '../snapshot.ts';

const leaf = 1;

/** A root that holds these nodes, from node 2 on; node 1 is a string that they may point to. */
function heap(...held: readonly BuiltNode[]): readonly BuiltNode[] {
  const edges = held.map((_, k) => ({ type: 'shortcut', name: `g${k}`, to: k + 2 }));
  return [
    { type: 'synthetic', name: '', size: 0, edges },
    { type: 'string', name: 'leaf', size: 8 },
    ...held,
  ];
}

const plain = (...names: readonly string[]): BuiltNode => ({
  name: 'Object',
  size: 1,
  edges: names.map((name) => ({ name, to: leaf })),
});

async function counts(nodes: readonly BuiltNode[], options?: BuildOptions): Promise<Record<string, number>> {
  using files = new ScratchFiles();
  const text = buildSnapshot(nodes, options);
  const graph = await openSnapshot(files.write(text));
  const stream = await openSnapshot(chunksOf(text));
  expect(stream.constructors()).toEqual(graph.constructors());
  const rows = graph.constructors().toSorted((a, b) => (a.name < b.name ? -1 : 1));
  graph.close();
  return Object.fromEntries(
    rows.map((row, k) => [rows[k - 1]?.name === row.name ? `${row.name} again` : row.name, row.count]),
  );
}

describe('plain objects', () => {
  it('are named by shapes that occur at least twice, and get the largest that fits', async () => {
    const nodes = heap(
      plain('role', 'content'),
      plain('role', 'content'),
      plain('content', 'role', 'extra'),
      plain('role'),
      plain('only'),
      plain(),
      plain('__proto__', 'role', 'content'),
    );
    expect(await counts(nodes)).toEqual({ '(string)': 1, '{role, content}': 4, Object: 3 });
  });

  it('have names in quotes where they would confuse, and names are cut', async () => {
    const long = Array.from({ length: 30 }, (_, k) => `property${k}`);
    const nodes = heap(plain('a,b', 'c'), plain('a,b', 'c'), plain(...long), plain(...long));
    const cut = `{${long.slice(0, 11).join(', ')}}`;
    expect(await counts(nodes)).toEqual({ '(string)': 1, [cut]: 2, '{"a,b", c}': 2 });
  });

  it('may have more shapes than fit into the first tables', async () => {
    const many = Array.from({ length: 6000 }, (_, k) => plain(`key${k}`, `other${k % 7}`));
    expect(await counts(heap(...many))).toEqual({ '(string)': 1, Object: 6000 });
  });
});

describe('other objects', () => {
  it('are told apart by type, and by name where it is theirs', async () => {
    const types = ['hidden', 'code', 'closure', 'regexp', 'symbol', 'object shape', 'native'];
    const nodes = heap(...types.map((type) => ({ type, name: `a ${type}`, size: 4 })), {
      name: 'Function',
      size: 4,
    });
    expect(await counts(nodes)).toEqual({
      '(string)': 1,
      '(system)': 1,
      '(compiled code)': 1,
      '(object shape)': 1,
      '(symbol)': 1,
      Function: 2,
      RegExp: 1,
      'a native': 1,
    });
  });

  it('of one name are two classes when they are declared at two places', async () => {
    const session = { name: 'Session', size: 8 };
    const locations = [
      [4, 1, 10, 2],
      [2, 1, 10, 2],
      [3, 1, 90, 0],
      // The last location of a node counts.
      [3, 1, 10, 2],
    ] as const;
    const nodes = heap(session, session, session, session, { type: 'closure', name: 'f', size: 8 });
    expect(await counts(nodes, { locations })).toEqual({
      '(string)': 1,
      Function: 1,
      Session: 3,
      'Session again': 1,
    });
  });

  it('of the page lose their attributes, and are detached with their tree', async () => {
    const nodes = heap(
      { type: 'native', name: '<div id="a">', size: 8, detachedness: 1, edges: [{ to: 5 }] },
      {
        type: 'native',
        name: '<div class="b">',
        size: 8,
        detachedness: 2,
        edges: [{ to: 5 }, { to: 6 }, { to: 7 }],
      },
      { type: 'native', name: '<div>', size: 8 },
      { type: 'native', name: '<p x>', size: 8 },
      { type: 'native', name: '<span y="1">', size: 8 },
      { name: 'Wrapper', size: 8 },
    );
    expect(await counts(nodes)).toEqual({
      '(string)': 1,
      '<div>': 2,
      '<p>': 1,
      'Detached <div>': 1,
      'Detached <span>': 1,
      Wrapper: 1,
    });
  });
});
