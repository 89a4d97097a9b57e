import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileSource } from '../graph/file-source.ts';
import { ByteWriter } from './byte-writer.ts';
import { Rewriter } from './rewriter.ts';
import { RowPatches } from './row-patches.ts';

const width = 3;
const rowCount = 5000;

/** Rows `type,name,id`, and where every 64th begins. */
function makeRows(separator: string): { text: string; blocks: Float64Array } {
  const starts: number[] = [];
  let text = '[';
  for (let row = 0; row < rowCount; row++) {
    if (row > 0) text += separator;
    if (row % 64 === 0) starts.push(text.length);
    text += `${row % 7},${row * 13},${row * 1000}`;
  }
  return { text: `${text}]`, blocks: Float64Array.from(starts) };
}

const changed = [0, 1, 63, 64, 70, 2000, 2001, 4999];

function patchesOf(separator: string): { text: string; patches: () => RowPatches; close: () => void } {
  const { text, blocks } = makeRows(separator);
  const file = join(mkdtempSync(join(tmpdir(), 'plimsoll-patches-')), 'rows');
  writeFileSync(file, text);
  const source = new FileSource(file);
  const rows = { blocks, width, nameAt: 1 };
  return {
    text,
    patches: () => new RowPatches(source, rows, Uint32Array.from(changed), (row) => 900_000 + row),
    close: () => source.close(),
  };
}

test.each([',', '\n,', ', \n'])('names are found by row, with rows apart by %j', (separator) => {
  const { text, patches, close } = patchesOf(separator);
  const list = patches();
  for (const row of changed) {
    const { start, end, value } = list.next() ?? { start: 0, end: 0, value: 0 };
    expect([text.slice(start, end), value]).toEqual([String(row * 13), 900_000 + row]);
  }
  expect(list.next()).toBeUndefined();
  close();
});

test('it makes no difference where the rows are cut', () => {
  const { text, patches, close } = patchesOf(',');
  const survey = {
    uses: new Uint8Array(),
    traits: new Uint16Array(),
    second: new Map<number, number>(),
    nodes: new Uint32Array(),
    edges: new Uint32Array(),
    nodeName: Number,
    edgeName: Number,
  };
  const inside = Buffer.from(text.slice(1, -1));
  const written = (chunkBytes: number): string => {
    const writer = new ByteWriter();
    const rewriter = new Rewriter(survey, writer, new Map([['nodes', patches()]]));
    for (let at = 0; at < inside.length; at += chunkBytes)
      rewriter.rows('nodes', inside.subarray(at, at + chunkBytes), 1 + at);
    rewriter.end('nodes');
    return Buffer.concat(writer.take(true)).toString();
  };
  const whole = written(inside.length);
  const rows = JSON.parse(`{${whole.slice(1)}}`) as { nodes: number[] };
  const names = rows.nodes.filter((_, i) => i % width === 1);
  expect(names).toEqual(
    Array.from({ length: rowCount }, (_, row) => (changed.includes(row) ? 900_000 + row : row * 13)),
  );
  for (const chunkBytes of [1, 2, 3, 7, 64, 1000]) expect(written(chunkBytes)).toBe(whole);
  close();
});
