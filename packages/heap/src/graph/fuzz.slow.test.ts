import { describe, expect, it } from 'vitest';
import { fuzz } from './fuzz.fixture.ts';

describe('ten thousand damaged files', () => {
  it('are refused or answered, and leave no memory behind', { timeout: 1_800_000 }, async () => {
    await fuzz(100_000, 200);
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    const result = await fuzz(1000, 10_000);
    expect(result.failures).toEqual([]);
    expect(result.refused + result.answered).toBe(10_000);
    globalThis.gc?.();
    expect(process.memoryUsage.rss() - before).toBeLessThan(256 * 1024 * 1024);
  });
});
