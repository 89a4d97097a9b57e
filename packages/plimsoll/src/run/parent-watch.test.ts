import { expect, test, vi } from 'vitest';
import { isInBackground, onParentLost } from './parent-watch.ts';

const npm = { npm_command: 'exec' };

test('a parent that npm started is missed once', async () => {
  let parent = process.ppid;
  const lost = vi.fn();
  onParentLost(lost, { env: npm, parent: () => parent, lookMs: 1 });
  parent = 1;
  await vi.waitFor(() => expect(lost).toHaveBeenCalledTimes(1));
});

test('without npm, or when nobody watches any more, nobody is missed', async () => {
  let parent = process.ppid;
  const lost = vi.fn();
  onParentLost(lost, { env: {}, parent: () => parent, lookMs: 1 });
  onParentLost(lost, { env: npm, parent: () => parent, lookMs: 1 })();
  const last = vi.fn();
  onParentLost(last, { env: npm, parent: () => parent, lookMs: 5 });
  parent = 1;
  await vi.waitFor(() => expect(last).toHaveBeenCalled());
  expect(lost).not.toHaveBeenCalled();
});

test.each([
  ['sh -c plimsoll run -- node server.js', false],
  ['sh -c npm run build && plimsoll run -- node server.js > log 2>&1', false],
  ['sh -c plimsoll run -- node server.js &> log', false],
  ['sh -c plimsoll run -- node server.js "--url=a&b"', false],
  ['sh -c nohup plimsoll run -- node server.js &', true],
  ['sh -c plimsoll run -- node a.js & plimsoll run -- node b.js', true],
])('%s', (command, expected) => {
  expect(isInBackground(command)).toBe(expected);
});
