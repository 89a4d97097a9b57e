import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runModel, step } from './model.fixture.ts';

const runs = 600;
const length = 90;

test.each([
  ['lru', { policy: 'lru' }],
  ['arc', { policy: 'arc' }],
  ['tenants', { tenants: true }],
] as const)(
  'every promise holds after each of 40,000 random steps (%s)',
  { timeout: 300_000 },
  async (_name, options) => {
    let steps = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 2 * length, size: 'max' }), async (work) => {
        steps += work.length;
        await runModel(work, options);
      }),
      { numRuns: runs, endOnFailure: false },
    );
    expect(steps).toBeGreaterThanOrEqual(40_000);
  },
);
