import { describe, expect, it } from 'vitest';
import type { HeapErrorEntry } from './errors/entry.ts';
import { catalogue, failure, HeapError, isHeapError, type HeapErrorCode } from './errors.ts';

describe('the catalogue', () => {
  it.each(Object.keys(catalogue) as HeapErrorCode[])('%s', (code) => {
    const entry = catalogue[code] as unknown as HeapErrorEntry<unknown>;
    expect(entry.help.length).toBeGreaterThan(40);
    expect(String(new HeapError(code, entry.text(entry.example)))).toMatchSnapshot();
  });
});

describe('failure', () => {
  it('carries code, place, way out, page and offset, and is branded', () => {
    const cause = new Error('x');
    const error = failure('PLM_HEAP_EMPTY', { file: 'a.heapsnapshot', offset: 3 }, { cause });
    expect(error).toMatchObject({
      code: 'PLM_HEAP_EMPTY',
      where: 'a.heapsnapshot, byte 3',
      docs: 'plimsoll docs PLM_HEAP_EMPTY',
      offset: 3,
      cause,
    });
    expect([isHeapError(error), isHeapError(cause), isHeapError(null)]).toEqual([true, false, false]);
  });
});
