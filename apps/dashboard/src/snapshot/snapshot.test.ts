import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildSnapshot } from '@plimsoll/heap/internal/snapshot-builder.fixture';
import { ByteBuffer } from './buffer.ts';
import { createGunzip } from './node-zlib.ts';
import { openSync } from './node-fs.ts';
import { tellStory } from './story.ts';

/** A global object that holds an array with very many conversations. */
function built(): string {
  const many = 2000;
  const conversation = { type: 'object', name: 'LeakedConversation', size: 1024 };
  const elements = Array.from({ length: many }, (_, i) => ({ type: 'element', name: i, to: 3 + i }));
  return buildSnapshot([
    { type: 'synthetic', name: '', edges: [{ type: 'element', name: 1, to: 1 }] },
    { type: 'object', name: 'global', size: 64, edges: [{ type: 'property', name: 'kept', to: 2 }] },
    { type: 'object', name: 'Array', size: 32, edges: elements },
    ...Array.from({ length: many }, () => conversation),
  ]);
}

test('the small Buffer reads and writes as the large one does', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  expect(ByteBuffer.from(bytes).toString('latin1')).toBe(Buffer.from(bytes).toString('latin1'));
  expect([...ByteBuffer.from('Objekt "ß"', 'utf8')]).toEqual([...Buffer.from('Objekt "ß"', 'utf8')]);
  expect([...ByteBuffer.from('ÿ"', 'latin1')]).toEqual([255, 34]);
  const some = 'Objekt "ß"';
  expect(ByteBuffer.from(some).toString('utf8', 3, 8)).toBe(Buffer.from(some).toString('utf8', 3, 8));
  expect(ByteBuffer.from(some).toString('latin1', 3, 8)).toBe(Buffer.from(some).toString('latin1', 3, 8));
  expect(ByteBuffer.from('cGxpbXNvbGw=', 'base64').toString()).toBe('plimsoll');
  expect(ByteBuffer.from('abcdefgh', 'latin1').readBigUInt64LE()).toBe(
    Buffer.from('abcdefgh').readBigUInt64LE(),
  );
  expect([
    ByteBuffer.alloc(2).length,
    ByteBuffer.allocUnsafe(3).length,
    ByteBuffer.allocUnsafeSlow(4).length,
  ]).toEqual([2, 3, 4]);
});

test('there are no files and no zlib in a browser', () => {
  expect(() => openSync()).toThrow('no files');
  expect(() => createGunzip()).toThrow('no node:zlib');
});

test('a snapshot is told from its bytes, plain and compressed alike', async () => {
  const text = built();
  const phases = new Set<string>();
  const story = await tellStory(new File([text], 'server.heapsnapshot'), (phase) => phases.add(phase));
  expect(story.suspects.map(({ name, count }) => [name, count])).toEqual([['LeakedConversation', 2000]]);
  expect(story.classes.map(({ name, count, retainedBytes }) => [name, count, retainedBytes])).toEqual([
    ['global', 1, 2_048_112 - 16],
    ['Array', 1, 2_048_032],
    ['LeakedConversation', 2000, 2_048_000],
  ]);
  expect(story.map.b).toBe(story.heapBytes);
  expect([...phases]).toEqual(['read', 'dominators', 'suspects', 'treemap']);
  const packed = await tellStory(new File([gzipSync(text)], 'server.heapsnapshot.gz'), () => {});
  expect({ ...packed, ms: 0, name: '', fileBytes: 0 }).toEqual({ ...story, ms: 0, name: '', fileBytes: 0 });
});

test('what is no snapshot is refused with a code', async () => {
  await expect(tellStory(new File(['hello'], 'x.txt'), () => {})).rejects.toMatchObject({
    code: expect.stringMatching(/^PLM_HEAP_/) as string,
  });
});
