import { truncateSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildSnapshot, chunksOf, ScratchFiles, type BuiltNode } from '../snapshot-builder.fixture.ts';
import { setBit } from '../kernel/typescript/rows.ts';
import { openSnapshot } from '../snapshot.ts';
import { KeptBytes, StringTable } from './string-table.ts';

/** Strings of many lengths, with escapes at every place where a window may end. */
const texts = Array.from({ length: 700 }, (_, k) =>
  k % 50 === 0 ? `${k}:${'\\"\n'.repeat(k * 9)}` : `${k} ${'é"'.repeat(k % 40)}`,
);
const nodes: readonly BuiltNode[] = [
  {
    type: 'synthetic',
    name: '',
    size: 0,
    edges: texts.map((_, k) => ({ type: 'element', name: k, to: k + 1 })),
  },
  ...texts.map((name) => ({ type: 'string', name })),
];

describe.each(['typescript', 'wasm'] as const)('strings, %s', (kernel) => {
  it('are the same in any order of asking, from a file and from a stream', async () => {
    using files = new ScratchFiles();
    const text = buildSnapshot(nodes);
    for (const graph of [
      await openSnapshot(files.write(text), { kernel }),
      await openSnapshot(chunksOf(text, 777), { kernel }),
    ]) {
      for (const step of [1, 13, 699]) {
        for (let k = 0, n = 0; k < texts.length; k++, n = (n + step) % texts.length) {
          expect(graph.nodeName(n + 1)).toBe(texts[n]);
        }
      }
      graph.close();
    }
  });

  it('are the same when some are visited in the order of the file', async () => {
    using files = new ScratchFiles();
    const long = [...nodes, { type: 'string', name: 'x'.repeat(200_000) }, { type: 'string', name: 'end' }];
    const graph = await openSnapshot(files.write(buildSnapshot(long)), { kernel });
    for (const step of [1, 2, 7, 16, 17, 350]) {
      const bits = new Uint8Array(Math.ceil(graph.meta.stringCount / 8) + 9).fill(0);
      const expected: string[] = [];
      for (let index = step - 1; index < graph.meta.stringCount; index += step) {
        setBit(bits, index);
        expected.push(graph.string(index));
      }
      // An index that no string has is passed over.
      setBit(bits, graph.meta.stringCount + 1);
      const found: string[] = [];
      graph.eachString(bits, (text) => found.push(text));
      expect(found).toEqual(expected);
    }
    graph.close();
  });

  it('are cut when they are very long, not through an escape', async () => {
    using files = new ScratchFiles();
    const long = 'x'.repeat(262_141) + '\u0001'.repeat(40);
    const built: readonly BuiltNode[] = [
      { type: 'synthetic' },
      { name: long },
      { name: 'y'.repeat(400_000) },
    ];
    const graph = await openSnapshot(files.write(buildSnapshot(built)), { kernel });
    expect(graph.nodeName(1)).toBe(`${'x'.repeat(262_141)}…`);
    expect(graph.nodeName(2)).toBe(`${'y'.repeat(262_144)}…`);
    graph.close();
  });
});

describe('a file that shrinks after it was opened', () => {
  it('gives short strings and a coded error for rows, and no hang', async () => {
    using files = new ScratchFiles();
    const path = files.write(buildSnapshot(nodes), 'shrinking.heapsnapshot');
    const graph = await openSnapshot(path);
    graph.dominators();
    truncateSync(path, 700);
    expect(graph.nodeName(600)).toBe('');
    expect(() => graph.nodeId(650)).toThrow('the file is shorter than it was when it was opened');
    graph.close();
  });
});

it('are all visited as bytes, however long one is and however it is escaped', () => {
  const all = [...texts, 'x'.repeat(700_000), '', 'end\\'];
  const written = Buffer.from(`[${all.map((text) => JSON.stringify(text)).join(',\n')}]}`);
  const kept = new KeptBytes();
  kept.add(written, 0);
  const table = new StringTable(kept, Float64Array.of(1), all.length);
  const found: string[] = [];
  table.eachRaw((index, bytes, start, end) => {
    found[index] = JSON.parse(`"${bytes.toString('utf8', start, end)}"`) as string;
  });
  expect(found).toEqual(all);
  const cut = new KeptBytes();
  cut.add(written.subarray(0, 5000), 0);
  let count = 0;
  new StringTable(cut, Float64Array.of(1), all.length).eachRaw(() => count++);
  expect(count).toBeGreaterThan(10);
  expect(count).toBeLessThan(all.length);
});
