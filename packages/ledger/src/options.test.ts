import { expect, test } from 'vitest';
import { settle } from './options.ts';

test('defaults are filled in and every number is pulled into its bounds', () => {
  expect(settle({ dir: 'x' })).toMatchObject({
    batchMs: 1000,
    queueRows: 20_000,
    maxBytes: 1024 ** 3,
    exitWaitMs: 250,
  });
  expect(
    settle({
      dir: 'x',
      queueRows: Number.POSITIVE_INFINITY,
      maxBytes: 1,
      batchMs: Number.NaN,
      exitWaitMs: 1e9,
    }),
  ).toMatchObject({ queueRows: 20_000, maxBytes: 1024 ** 2, batchMs: 1000, exitWaitMs: 2000 });
  expect(settle({ dir: 'x', retention: { rawMs: 5 } }).retention).toMatchObject({
    rawMs: 5,
    minuteMs: 90 * 86_400_000,
  });
});
