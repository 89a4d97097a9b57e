import fc from 'fast-check';
import { expect, test } from 'vitest';
import { live, world } from './model.fixture.ts';

test('whatever the tree and the limits, none is exceeded, nothing waits for ever, and every count returns to zero', async () => {
  let delegations = 0;
  await fc.assert(
    fc.asyncProperty(world, async (lived) => {
      delegations += await live(lived);
    }),
    { numRuns: 500 },
  );
  expect(delegations).toBeGreaterThan(1000);
});
