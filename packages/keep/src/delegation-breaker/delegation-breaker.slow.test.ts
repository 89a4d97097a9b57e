import fc from 'fast-check';
import { expect, test } from 'vitest';
import { live, world } from './model.fixture.ts';

test('the model holds for many trees', { timeout: 600_000 }, async () => {
  let delegations = 0;
  await fc.assert(
    fc.asyncProperty(world, async (lived) => {
      delegations += await live(lived);
    }),
    { numRuns: 20_000 },
  );
  expect(delegations).toBeGreaterThan(50_000);
});
