import { expect, test } from 'vitest';
import { Fit } from './fit.ts';

const hour = 3600;
const day = 24 * hour;

/** Six days, a row per hour: what is held, and requests so far, by the hour. */
function sixDays(level: (hour: number) => number, rate: (hour: number) => number): Fit {
  const fit = new Fit();
  fit.n = 6 * 24;
  let requests = 0;
  for (let i = 0; i < fit.n; i++) {
    fit.t[i] = i * hour;
    fit.y[i] = level(i);
    fit.requests[i] = requests;
    requests += rate(i);
  }
  return fit;
}

const doubled = (i: number): number => (i < 72 ? 100 : 200);

test('a level that grows as the requests per second do follows them', () => {
  expect(sixDays(doubled, doubled).followsRequests(3 * day, day)).toBe(true);
  expect(sixDays(doubled, (i) => 3 * doubled(i) - 100).followsRequests(3 * day, day)).toBe(true);
});

test('a level that grows under the same requests, or under none, does not', () => {
  expect(sixDays(doubled, () => 100).followsRequests(3 * day, day)).toBe(false);
  expect(sixDays(doubled, () => 0).followsRequests(3 * day, day)).toBe(false);
});

test('half a day before the onset and a day after it are needed to tell', () => {
  const fit = sixDays(doubled, doubled);
  expect(fit.followsRequests(5.5 * day, day)).toBe(false);
  expect(fit.followsRequests(0.4 * day, day)).toBe(false);
});
