import { expect, test } from 'vitest';
import { startSoak } from './soak.fixture.ts';

test('20,000 sessions leave the floor where it was', { timeout: 900_000 }, async () => {
  await using soak = await startSoak([]);
  const floors = [];
  for (let i = 0; i < 10; i += 1) floors.push(await soak.run(2000));
  const [, , early] = floors;
  const late = floors.at(-1);
  const perSession = ((late?.heap ?? 0) - (early?.heap ?? 0)) / 14_000;
  const course = floors.map(({ heap }) => `${Math.round(heap / 1024)} KiB`).join(', ');
  // Compiled code still settles by a few bytes; one forgotten map entry per session would be 40 and more.
  expect(perSession, course).toBeLessThan(40);
  expect((late?.buffers ?? 0) - (early?.buffers ?? 0)).toBeLessThan(64 * 1024);
});
