import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runModel, step } from './model.fixture.ts';

test.each([
  ['lru', {}],
  ['arc', { policy: 'arc' }],
  ['tenants', { tenants: true }],
] as const)(
  'every promise holds after each of a million random steps (%s)',
  { timeout: 1_200_000 },
  async (_name, options) => {
    let steps = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 250, maxLength: 250 }), async (work) => {
        steps += work.length;
        await runModel(work, options);
      }),
      { numRuns: 4000 },
    );
    expect(steps).toBeGreaterThanOrEqual(1_000_000);
  },
);
