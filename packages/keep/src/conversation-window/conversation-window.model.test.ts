import fc from 'fast-check';
import { expect, test } from 'vitest';
import { live, world } from './model.fixture.ts';

test('whatever is said, pairs stay whole, order and pins hold, and nothing goes without a word', async () => {
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(world(60), async (lived) => {
      steps += await live(lived);
    }),
    { numRuns: 300 },
  );
  expect(steps).toBeGreaterThan(5000);
});
