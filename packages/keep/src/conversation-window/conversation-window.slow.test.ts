import fc from 'fast-check';
import { expect, test } from 'vitest';
import { live, world } from './model.fixture.ts';

test('the model holds for 100,000 messages', { timeout: 600_000 }, async () => {
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(world(150), async (lived) => {
      steps += await live(lived);
    }),
    { numRuns: 1600 },
  );
  expect(steps).toBeGreaterThan(100_000);
});
