import { describe, expect, it } from 'vitest';
import { buildSnapshot, chunksOf } from '../snapshot-builder.fixture.ts';
import { parseHeader } from './header.ts';
import { makeStore } from './store.ts';
import { StreamSource } from './stream-source.ts';

describe('makeStore', () => {
  it('says so when the memory is not given', () => {
    const text = buildSnapshot([{ type: 'synthetic' }]);
    const header = text.slice('{"snapshot":'.length, text.indexOf(',\n"nodes"'));
    const layout = parseHeader(header, { file: 'x', offset: 12 }, null);
    const source = new StreamSource('stream', chunksOf(''));
    const ask = (): unknown => makeStore({ ...layout, nodeCount: 2 ** 50 }, 'auto', source, null);
    expect(ask).toThrow(/^the analysis needs up to \d+ MiB, and the system does not give them\.$/u);
  });
});
