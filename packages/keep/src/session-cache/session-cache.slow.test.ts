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
      fc.asyncProperty(fc.array(step, { maxLength: 500, size: 'max' }), async (work) => {
        steps += work.length;
        await runModel(work, options);
      }),
      { numRuns: 4800 },
    );
    expect(steps).toBeGreaterThanOrEqual(1_000_000);
  },
);
