import { open, processScope } from '@plimsoll/core';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { describe, expect, test } from 'vitest';
import { isCollected, usedHeap } from '../collect.fixture.ts';
import { keepers } from '@plimsoll/core/keeper';
import { ReplayBuffer } from './replay-buffer.ts';
import type { Delta } from './buffer.fixture.ts';
import { delta, refused, readText, openFiles } from './buffer.fixture.ts';

describe('construction', () => {
  test('a buffer without a bound cannot be made', () => {
    expect(refused({})).toMatchInlineSnapshot(`
      "PLM_KEEP_UNBOUNDED: a ReplayBuffer needs a bound and got none.
        at:  new ReplayBuffer(options)
        fix: set at least one of maxBytes."
    `);
  });

  test.each([
    [{ maxBytes: Number.NaN }],
    [{ maxBytes: -1 }],
    [{ maxBytes: Number.POSITIVE_INFINITY }],
    [{ maxBytes: '64' }],
    [{ maxBytes: 1, overflow: 'explode' }],
    [{ maxBytes: 1, lag: 'wait' }],
    [{ maxBytes: 1, coalesce: {} }],
    [{ maxBytes: 1, size: 12 }],
    [{ maxBytes: 1, maxSpillBytes: 0 }],
    [{ maxBytes: 1, releaseAfterEnd: 'soon' }],
    [{ maxBytes: 1, blockFor: Number.NaN }],
    [{ maxBytes: 1, abandonAfter: -5 }],
  ])('%o is refused with the accepted form', (options) => {
    expect(refused(options)).toMatch(/^PLM_KEEP_BAD_OPTION: .+ has to be .+/);
  });

  test('a position that cannot be meant is refused', () => {
    using buffer = new ReplayBuffer<Delta>({ maxBytes: '1MiB' });
    expect(() => buffer.subscribe({ from: -1 })).toThrow('"start", "now" or a sequence number');
    expect(() => buffer.subscribe({ from: 'middle' as 'now' })).toThrow('"start", "now"');
    expect(() => buffer.subscribe({ lag: 'never' as 'drop' })).toThrow('"block", "drop" or "disconnect"');
  });
});

describe('reading', () => {
  test('early, late and resumed readers get the same text', async () => {
    using buffer = new ReplayBuffer<Delta>({ maxBytes: '1MiB' });
    const early = buffer.subscribe();
    for (let i = 0; i < 2000; i++) buffer.push(delta(`${i} `));
    const now = buffer.subscribe({ from: 'now' });
    expect(now.seq).toBe(2000);
    buffer.push(delta('last'));
    buffer.end();
    const whole = Array.from({ length: 2000 }, (_, i) => `${i} `).join('') + 'last';
    expect(await readText(early)).toBe(whole);
    expect(await readText(now)).toBe('last');
    expect(await readText(buffer)).toBe(whole);
    expect(buffer.stats().chunks).toBeLessThan(20);
    expect(early.done).toBe(true);
    expect(await early.next()).toEqual({ value: undefined, done: true });
  });

  test('a reader goes on where another one stopped', async () => {
    using buffer = new ReplayBuffer<string>({ maxBytes: '1MiB', coalesce: false });
    for (const word of ['a', 'b', 'c', 'd']) buffer.push(word);
    const first = buffer.subscribe();
    await first.next();
    await first.next();
    const { seq } = first;
    await first.return();
    buffer.end();
    const rest: string[] = [];
    for await (const word of buffer.subscribe({ from: seq })) rest.push(word);
    expect(rest).toEqual(['c', 'd']);
  });

  test('several reads may wait at once; they are served in order and end together', async () => {
    using buffer = new ReplayBuffer<string>({ maxBytes: '1MiB' });
    const reader = buffer.subscribe();
    const reads = [reader.next(), reader.next(), reader.next()];
    buffer.push('a');
    buffer.push('b');
    buffer.end();
    expect((await Promise.all(reads)).map((read) => read.value)).toEqual(['a', 'b', undefined]);
  });

  test('an error reaches each reader once, after the chunks before it', async () => {
    using buffer = new ReplayBuffer<string>({ maxBytes: '1MiB' });
    const waiting = buffer.subscribe();
    const wait = waiting.next();
    buffer.push('a');
    expect((await wait).value).toBe('a');
    const failed = waiting.next();
    buffer.fail(new Error('provider gone'));
    await expect(failed).rejects.toThrow('provider gone');
    expect((await waiting.next()).done).toBe(true);
    const late = buffer.subscribe();
    expect((await late.next()).value).toBe('a');
    await expect(late.next()).rejects.toThrow('provider gone');
    expect((await late.next()).done).toBe(true);
  });

  test('cancelling tells the source once and every reader once', async () => {
    const buffer = new ReplayBuffer<string>({ maxBytes: '1MiB' });
    const told: unknown[] = [];
    buffer.cancelled((reason) => told.push(reason));
    buffer.cancelled(() => {
      throw new Error('the source is broken too');
    });
    const untold = buffer.cancelled(() => told.push('taken back'));
    untold();
    const reader = buffer.subscribe();
    const idle = buffer.subscribe();
    const read = reader.next();
    buffer.push('lost');
    await read;
    const next = reader.next();
    buffer.cancel('user pressed stop');
    buffer.cancel('again');
    await expect(next).rejects.toThrow('the stream was cancelled (user pressed stop)');
    await expect(idle.next()).rejects.toMatchObject({ code: 'PLM_REPLAY_CANCELLED' });
    expect((await idle.next()).done).toBe(true);
    await expect(buffer.subscribe().next()).rejects.toMatchObject({ code: 'PLM_REPLAY_CANCELLED' });
    expect(told).toEqual(['user pressed stop']);
    expect(buffer.push('late')).toBe(false);
    expect(buffer.stats()).toMatchObject({
      state: 'cancelled',
      released: true,
      refused: 1,
      bytes: 0,
      readers: 0,
    });
  });

  test('a signal ends one reader with its reason and is let go of', async () => {
    using buffer = new ReplayBuffer<string>({ maxBytes: '1MiB' });
    const controller = new AbortController();
    const reader = buffer.subscribe({ signal: controller.signal });
    const other = buffer.subscribe();
    const read = reader.next();
    controller.abort(new Error('client left'));
    await expect(read).rejects.toThrow('client left');
    expect((await reader.next()).done).toBe(true);
    await expect(buffer.subscribe({ signal: controller.signal }).next()).rejects.toThrow('client left');
    buffer.push('a');
    expect((await other.next()).value).toBe('a');
  });

  test('a web stream reads at its own pace and may be cancelled alone', async () => {
    using buffer = new ReplayBuffer<string>({ maxBytes: '1MiB' });
    const web = buffer.toReadableStream().getReader();
    const gone = buffer.toReadableStream();
    await gone.cancel();
    buffer.push('a');
    buffer.end();
    expect(await web.read()).toEqual({ value: 'a', done: false });
    expect((await web.read()).done).toBe(true);
    expect(buffer.stats().readers).toBe(0);
  });

  test('pushing after the end is an error of the caller', () => {
    using buffer = new ReplayBuffer<string>({ maxBytes: '1MiB', name: 'reply' });
    buffer.end();
    buffer.end();
    expect(() => buffer.push('late')).toThrow('a chunk was pushed although the stream is ended.');
  });
});

describe('letting go', () => {
  test('after the end and the last reader, chunks stay for late readers for a while, then go', async () => {
    const clock = new FakeClock();
    const buffer = new ReplayBuffer<string>({
      maxBytes: '1MiB',
      clock,
      releaseAfterEnd: '30s',
      name: 'reply',
    });
    const reader = buffer.subscribe();
    buffer.push('a');
    buffer.end();
    clock.advance(60_000);
    expect(buffer.stats().released).toBe(false);
    await reader.next();
    await reader.next();
    clock.advance(29_999);
    expect((await buffer.subscribe().next()).value).toBe('a');
    clock.advance(2);
    expect(buffer.stats().released).toBe(false);
    clock.advance(700_000);
    expect(buffer.stats()).toMatchObject({ released: true, chunks: 0, readers: 0 });
    expect(clock.waiting).toBe(0);
    await expect(buffer.subscribe().next()).rejects.toMatchObject({ code: 'PLM_REPLAY_RELEASED' });
  });

  test('a reader that stops reading after the end is cut off and told when it comes back', async () => {
    const clock = new FakeClock();
    const buffer = new ReplayBuffer<string>({ maxBytes: '1MiB', clock, abandonAfter: '1m' });
    const controller = new AbortController();
    const reader = buffer.subscribe({ signal: controller.signal });
    buffer.push('a');
    buffer.end();
    clock.advance(200_000);
    expect(buffer.stats()).toMatchObject({ released: true, disconnected: 1 });
    await expect(reader.next()).rejects.toThrow('it stopped reading after the stream was over');
    expect((await reader.next()).done).toBe(true);
  });

  test('disposing lets go at once and tells the readers', async () => {
    const buffer = new ReplayBuffer<string>({ maxBytes: '1MiB' });
    buffer.push('a');
    buffer.end();
    const reader = buffer.subscribe();
    buffer[Symbol.dispose]();
    buffer[Symbol.dispose]();
    await expect(reader.next()).rejects.toMatchObject({ code: 'PLM_REPLAY_RELEASED' });
    const open = new ReplayBuffer<string>({ maxBytes: '1MiB' });
    open[Symbol.dispose]();
    expect(open.stats().state).toBe('cancelled');
  });

  test('what a released buffer held is gone, by the heap itself', async () => {
    const before = await usedHeap();
    const released: ReplayBuffer<Delta>[] = [];
    for (let i = 0; i < 50; i++) {
      const buffer = new ReplayBuffer<Delta>({ maxBytes: '256KiB' });
      for (let at = 0; at < 500; at++) buffer.push(delta(`${i} ${at} ${'y'.repeat(300)}`));
      buffer.end();
      released.push(buffer);
    }
    const held = (await usedHeap()) - before;
    expect(held).toBeGreaterThan(50 * 150_000);
    for (const buffer of released) buffer[Symbol.dispose]();
    const left = (await usedHeap()) - before;
    expect(left / 50).toBeLessThan(4096);
    expect(released).toHaveLength(50);
  });

  test('a buffer nobody holds is collected and its file is closed', async () => {
    const before = openFiles();
    const make = (): WeakRef<object> => {
      const buffer = new ReplayBuffer<string>({ maxBytes: '8KiB' });
      for (let i = 0; i < 50; i++) buffer.push('x'.repeat(1000));
      return new WeakRef(buffer);
    };
    const ref = make();
    expect(openFiles()).toBe(before + 1);
    expect(await isCollected(ref)).toBe(true);
    await expect.poll(openFiles).toBe(before);
  });

  test('memory is charged to the scope and can be shed', async () => {
    using scope = open('session', 'replay');
    const buffer = scope.run(() => new ReplayBuffer<string>({ maxBytes: '1MiB', name: 'reply' }));
    for (let i = 0; i < 100; i++) buffer.push(`${i}${'x'.repeat(1000)}`);
    expect(scope.account.held).toBeGreaterThan(80_000);
    expect(keepers()).toContain(buffer);
    const freed = await buffer.shed({ bytes: 50_000 });
    expect(freed).toBeGreaterThanOrEqual(50_000);
    expect(scope.account.held).toBe(buffer.bytes);
    await expect(buffer.shed({ bytes: 0 })).rejects.toThrow('bytes above 0');
    buffer[Symbol.dispose]();
    expect(scope.account.held).toBe(0);
    expect(keepers()).not.toContain(buffer);
  });

  test('without a file, shedding forgets only what every reader has read', async () => {
    using buffer = new ReplayBuffer<string>({
      maxBytes: '1MiB',
      overflow: 'lag',
      coalesce: false,
      scope: processScope(),
    });
    const reader = buffer.subscribe();
    for (let i = 0; i < 100; i++) buffer.push(`${i}${'x'.repeat(1000)}`);
    expect(await buffer.shed({ bytes: 50_000 })).toBe(0);
    for (let i = 0; i < 20; i++) await reader.next();
    expect(await buffer.shed({ bytes: 50_000 })).toBeGreaterThan(19_000);
    expect(reader.lost).toBe(0);
    expect(buffer.stats().forgotten).toBe(20);
  });
});
