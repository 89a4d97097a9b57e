import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { describe, expect, test } from 'vitest';
import { replay } from './replay.ts';
import type { Delta } from './buffer.fixture.ts';
import { delta, readText } from './buffer.fixture.ts';

describe('replay', () => {
  test('reads a source once for many readers', async () => {
    let pulls = 0;
    const source = new ReadableStream<Delta>({
      pull(controller) {
        if (pulls++ < 300) controller.enqueue(delta(`${pulls} `));
        else controller.close();
      },
    });
    const fan = replay(source, { maxBytes: '1MiB' });
    const [a, b] = await Promise.all([readText(fan), readText(fan)]);
    expect(a).toBe(b);
    expect(a.startsWith('1 2 3 ')).toBe(true);
    expect(await readText(fan)).toBe(a);
    expect(pulls).toBe(301);
    fan[Symbol.dispose]();
  });

  test('a source that fails, fails every reader; a source that cannot be read is refused', async () => {
    const fan = replay(
      (async function* () {
        yield 'a';
        throw new Error('provider');
      })(),
      { maxBytes: '1MiB' },
    );
    await expect(Array.fromAsync(fan)).rejects.toThrow('provider');
    fan[Symbol.dispose]();
    expect(() => replay({} as ReadableStream<string>, { maxBytes: 1 })).toThrow('an async iterable');
  });

  test('cancelling the buffer cancels the source, also one that resists', async () => {
    let returned = 0;
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ value: 'a', done: false }) as const,
        return: async () => {
          returned++;
          throw new Error('no');
        },
      }),
    };
    const fan = replay<string>(source, { maxBytes: '1MiB' });
    const reader = fan.subscribe();
    await reader.next();
    fan.cancel('stop');
    await expect(reader.next()).rejects.toThrow('cancelled');
    expect(returned).toBe(1);
  });

  test('a stream that nobody reads may be given up', async () => {
    const clock = new FakeClock();
    const source = (): AsyncIterable<string> => ({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
    });
    const fan = replay(source(), { maxBytes: '1MiB', clock, cancelUnread: '10s' });
    const reader = fan.subscribe();
    clock.advance(30_000);
    expect(fan.stats().state).toBe('open');
    await reader.return();
    clock.advance(21_000);
    expect(fan.stats().state).toBe('cancelled');
    const ended = replay(source(), { maxBytes: '1MiB', clock, cancelUnread: '10s' });
    ended.cancel();
    clock.advance(30_000);
    expect(clock.waiting).toBe(0);
  });

  test('a slow blocking reader slows the source down', async () => {
    let pulled = 0;
    const source = (async function* () {
      for (; pulled < 200; pulled++) yield `${pulled}${'x'.repeat(1000)}`;
    })();
    const fan = replay(source, { maxBytes: '16KiB', overflow: 'lag', lag: 'block', clock: new FakeClock() });
    const reader = fan.subscribe();
    await new Promise((resolve) => setImmediate(resolve));
    expect(pulled).toBeLessThan(30);
    let count = 0;
    for await (const chunk of reader) expect(Number.parseInt(chunk, 10)).toBe(count++);
    expect(count).toBe(200);
    fan[Symbol.dispose]();
  });
});
