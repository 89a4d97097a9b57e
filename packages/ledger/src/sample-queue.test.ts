import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { processAt } from './folder.fixture.ts';
import { settle } from './options.ts';
import { SampleQueue } from './sample-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function queue(): { readonly added: SampleQueue; readonly posted: string[] } {
  const posted: string[] = [];
  const settings = settle({ dir: 'unused', batchMs: 5000 });
  const added = new SampleQueue(
    settings,
    ({ type }) => posted.push(type) > 0,
    () => undefined,
  );
  return { added, posted };
}

test('samples are sent together, once per batch time', () => {
  const { added, posted } = queue();
  added.add({ ...processAt(0, 10), level: 'normal' });
  vi.advanceTimersByTime(4000);
  added.add({ ...processAt(4000, 11), level: 'normal' });
  expect(posted).toEqual([]);
  vi.advanceTimersByTime(1000);
  expect(posted).toEqual(['samples']);
  expect(added.counts()).toMatchObject({ taken: 2, queued: 2 });
  added.close();
});

test('a sample above the level normal is sent within a second, with those that wait', () => {
  const { added, posted } = queue();
  added.add({ ...processAt(0, 10), level: 'normal' });
  added.add({ ...processAt(1, 90), level: 'critical' });
  vi.advanceTimersByTime(999);
  expect(posted).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(posted).toEqual(['samples']);
  vi.advanceTimersByTime(10_000);
  expect(posted).toEqual(['samples']);
  added.close();
});
