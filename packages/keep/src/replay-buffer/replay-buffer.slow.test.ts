import fc from 'fast-check';
import { expect, test } from 'vitest';
import { live, world } from './model.fixture.ts';

test('the model holds for 300,000 steps', { timeout: 600_000 }, async () => {
  let steps = 0;
  for (let round = 0; round < 12; round++)
    await fc.assert(
      fc.asyncProperty(world(300), async (lived) => {
        steps += await live(lived);
      }),
      { numRuns: 200 },
    );
  expect(steps).toBeGreaterThanOrEqual(300_000);
});
