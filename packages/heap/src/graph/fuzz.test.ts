import { describe, expect, it } from 'vitest';
import { fuzz } from './fuzz.fixture.ts';

describe('damaged files', () => {
  it(
    'are refused with a code and an offset, or answered alike by every way of reading',
    { timeout: 300_000 },
    async () => {
      const result = await fuzz(1, 500);
      expect(result.failures).toEqual([]);
      // Both outcomes occur, or the fuzzer would test only half.
      expect(result.refused).toBeGreaterThan(100);
      expect(result.answered).toBeGreaterThan(50);
    },
  );
});
