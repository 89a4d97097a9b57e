/** One life of each kind that load or keepers explain; `long-run.test.ts` has more of them, too many to be counted as coverage. */
import { expect, it } from 'vitest';
import { LongRun } from './long-run.ts';
import { healthy, leaking, live, MB } from './memory-life.fixture.ts';

const budgetBytes = 900 * MB;

it.each([
  'more and more load',
  'a cache that fills and says so',
  'entries that outlast the traffic by hours',
])('%s is no leak', (name) => {
  const run = new LongRun({ budgetBytes });
  live(run, { seed: 1, ...healthy[name] }, () => run.isLeaking);
  expect(run.isLeaking).toBe(false);
});

it('a leak under a falling load is not excused by it', () => {
  const run = new LongRun({ budgetBytes });
  live(run, { seed: 1, ...leaking['under a falling load'] }, () => run.isLeaking);
  expect(run.isLeaking).toBe(true);
});
