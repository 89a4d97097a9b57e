import { expect, test } from 'vitest';
import { linkTo, parseRoute } from './route.ts';

test('an address leads back to what it was made of', () => {
  const query = { path: 'process/agent:a b/session:<b>&x=1' };
  expect(parseRoute(linkTo('scope', query))).toEqual({ page: 'scope', query });
});

test.each(['', '#', '#/', '#token=x', '#/../etc'])('"%s" is the overview', (hash) => {
  expect(parseRoute(hash)).toEqual({ page: 'overview', query: {} });
});

test('the overview has the shortest address', () => {
  expect(linkTo('overview')).toBe('#/');
});
