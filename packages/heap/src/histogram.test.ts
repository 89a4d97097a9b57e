import { describe, expect, it } from 'vitest';
import { classHistogram } from './histogram.ts';
import { buildSnapshot, chunksOf, ScratchFiles, type BuiltNode } from './snapshot-builder.fixture.ts';

const nodes: readonly BuiltNode[] = [
  { type: 'synthetic', size: 0, edges: [{ type: 'shortcut', name: 'g', to: 1 }] },
  { name: 'Object', size: 10, edges: [{ name: 'a', to: 2 }] },
  { name: 'Object', size: 30, edges: [{ type: 'internal', name: 'store', to: 4 }] },
  { name: 'Session', size: 5 },
  { type: 'array', size: 2 ** 33 },
  { type: 'native', name: '<div id="x">', size: 7 },
];

const expected = [
  { name: '(array)', count: 1, shallowBytes: 2 ** 33 },
  { name: 'Object', count: 2, shallowBytes: 40 },
  { name: '<div>', count: 1, shallowBytes: 7 },
  { name: 'Session', count: 1, shallowBytes: 5 },
  { name: '(synthetic)', count: 1, shallowBytes: 0 },
];

describe('classHistogram', () => {
  it.each(['typescript', 'wasm'] as const)('counts by class without edges, %s', async (kernel) => {
    using files = new ScratchFiles();
    const text = buildSnapshot(nodes);
    expect(await classHistogram(files.write(text), { kernel })).toEqual(expected);
    expect(await classHistogram(chunksOf(text, 100), { kernel })).toEqual(expected);
  });

  it('refuses what is not a snapshot', async () => {
    await expect(classHistogram(chunksOf('{"x":1}'))).rejects.toThrow('this is not a V8 heap snapshot');
  });
});
