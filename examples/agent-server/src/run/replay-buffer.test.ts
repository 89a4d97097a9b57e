import { setImmediate as immediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ReplayBuffer } from './replay-buffer.ts';

const never = new AbortController().signal;

async function textOf(buffer: ReplayBuffer, after = 0, signal = never): Promise<string> {
  return (await Array.fromAsync(buffer.read(after, signal))).join('');
}

test('a late reader sees every event of a run that has ended', async () => {
  const buffer = new ReplayBuffer(1000, () => {});
  buffer.append('token', { text: 'hello' });
  buffer.append('done', {});
  buffer.end();
  expect(await textOf(buffer)).toMatchInlineSnapshot(`
    "id: 1
    event: token
    data: {"text":"hello"}

    id: 2
    event: done
    data: {}

    "
  `);
  expect(await textOf(buffer, 1)).toMatch(/^id: 2\n/);
  expect(await textOf(buffer, 2)).toBe('');
});

test('a reader who is there gets events as they come, each once', async () => {
  const buffer = new ReplayBuffer(10_000, () => {});
  const reading = textOf(buffer);
  for (let i = 1; i <= 5; i += 1) {
    buffer.append('n', i);
    await immediate();
  }
  buffer.end();
  expect((await reading).match(/^id: \d+/gm)).toEqual(['id: 1', 'id: 2', 'id: 3', 'id: 4', 'id: 5']);
});

test('a reader who leaves is let go and holds nothing', async () => {
  const buffer = new ReplayBuffer(1000, () => {});
  const left = new AbortController();
  const reading = textOf(buffer, 0, left.signal);
  await immediate();
  left.abort();
  expect(await reading).toBe('');
  buffer.append('token', 1);
});

test('the oldest events go when the bound is reached, and every change of size is told', async () => {
  let charged = 0;
  const buffer = new ReplayBuffer(200, (bytes) => {
    charged += bytes;
  });
  for (let i = 1; i <= 50; i += 1) {
    buffer.append('token', { i });
    expect(buffer.bytes).toBeLessThanOrEqual(200);
    expect(charged).toBe(buffer.bytes);
  }
  buffer.end();
  const ids = (await textOf(buffer)).match(/(?<=id: )\d+/g)?.map(Number) as number[];
  expect(ids.at(-1)).toBe(50);
  expect(ids[0]).toBeGreaterThan(40);
});

test('release gives the bytes back, and who still reads sees the end', async () => {
  let charged = 0;
  const buffer = new ReplayBuffer(1000, (bytes) => {
    charged += bytes;
  });
  const reading = textOf(buffer);
  buffer.append('cancelled', {});
  buffer.release();
  expect(charged).toBe(0);
  expect(await reading).toContain('event: cancelled');
  buffer.append('token', 2);
  expect(buffer.bytes).toBe(0);
});
