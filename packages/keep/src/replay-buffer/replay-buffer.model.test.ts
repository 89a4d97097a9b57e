import fc from 'fast-check';
import { expect, test } from 'vitest';
import { live, world } from './model.fixture.ts';

test('whatever the interleaving, every reader accounts for every chunk, memory stays bounded, and all is let go of', async () => {
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(world(60), async (lived) => {
      steps += await live(lived);
    }),
    { numRuns: 400 },
  );
  expect(steps).toBeGreaterThan(5000);
});
