import { openSync } from 'node:fs';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { describe, expect, test } from 'vitest';
import { ReplayBuffer } from './replay-buffer.ts';
import type { Delta } from './buffer.fixture.ts';
import { delta, readText, openFiles } from './buffer.fixture.ts';

describe('at the bound', () => {
  const long = 'x'.repeat(1000);

  test('the oldest chunks go to a file nobody can see and come back for a late reader', async () => {
    const before = openFiles();
    const buffer = new ReplayBuffer<Delta>({ maxBytes: '64KiB' });
    const spills: number[] = [];
    buffer.on('spill', ({ fileBytes }) => spills.push(fileBytes));
    for (let i = 0; i < 500; i++) buffer.push(delta(`${i}${long}`));
    expect(openFiles()).toBe(before + 1);
    expect(spills.length).toBeGreaterThan(5);
    expect(buffer.bytes).toBeLessThanOrEqual(64 * 1024);
    buffer.end();
    const reader = buffer.subscribe();
    expect((await reader.next()).value?.text.startsWith('0x')).toBe(true);
    // One page of the file is in memory for the reader.
    expect(buffer.bytes).toBeLessThan(64 * 1024 * 1.25 + 4096);
    const rest = await readText(reader);
    expect(rest.match(/\d+/g)).toEqual(
      Array.from({ length: 500 }, (_, i) => `${i}`).slice(-rest.match(/\d+/g)!.length),
    );
    expect(rest.endsWith(`499${long}`)).toBe(true);
    buffer[Symbol.dispose]();
    expect(openFiles()).toBe(before);
  });

  test('a full disk is told, and then the readers lose by their policies', async () => {
    const buffer = new ReplayBuffer<string>({
      maxBytes: '16KiB',
      spillTo: { open: () => openSync('/dev/full', 'r+') },
    });
    const told: string[] = [];
    buffer.on('spill-failed', ({ error }) => told.push(String(error)));
    const dropping = buffer.subscribe({ lag: 'drop' });
    const cut = buffer.subscribe({ lag: 'disconnect', name: 'dashboard' });
    for (let i = 0; i < 100; i++) buffer.push(`${i}${long}`);
    expect(told[0]).toMatchInlineSnapshot(`
      "PLM_REPLAY_SPILL_FAILED: 9 items could not be spilled: ENOSPC: no space left on device, write.
        at:  replay buffer "stream"
        fix: check space and permissions of the temporary directory (spillTo), or give a codec for values that are not plain data."
    `);
    await expect(cut.next()).rejects.toMatchObject({ code: 'PLM_REPLAY_LAGGED' });
    const first = (await dropping.next()).value as string;
    expect(Number.parseInt(first, 10)).toBe(dropping.lost);
    expect(dropping.lost).toBeGreaterThan(50);
    const { dropped, disconnected, forgotten } = buffer.stats();
    expect([dropped >= dropping.lost, disconnected, forgotten]).toEqual([true, 1, dropping.lost]);
    const late = buffer.subscribe();
    expect(late.lost).toBe(dropping.lost);
    buffer[Symbol.dispose]();
  });

  test('a failed spill is tried again later', () => {
    const clock = new FakeClock();
    let isFull = true;
    const buffer = new ReplayBuffer<string>({
      maxBytes: '16KiB',
      clock,
      spillTo: { open: () => openSync(isFull ? '/dev/full' : '/dev/zero', 'r+') },
    });
    for (let i = 0; i < 40; i++) buffer.push(long);
    expect(buffer.stats().spillFailures).toBe(1);
    clock.advance(10_000);
    for (let i = 0; i < 40; i++) buffer.push(long);
    expect(buffer.stats().spillFailures).toBe(2);
    isFull = false;
    buffer[Symbol.dispose]();
  });

  test('the file has a bound too', () => {
    using buffer = new ReplayBuffer<string>({ maxBytes: '16KiB', maxSpillBytes: '20KiB' });
    const told: string[] = [];
    buffer.on('spill-failed', ({ error }) => told.push(error.message));
    for (let i = 0; i < 100; i++) buffer.push(`${i}${long}`);
    expect(told[0]).toContain('maxSpillBytes is reached');
    expect(buffer.stats().spilledBytes).toBeLessThanOrEqual(20 * 1024);
  });

  test('chunks that would not come back the same are not spilled', () => {
    class Message {
      readonly text = long;
    }
    using buffer = new ReplayBuffer<Message>({ maxBytes: '16KiB' });
    const told: string[] = [];
    buffer.on('spill-failed', ({ error }) => told.push(error.message));
    for (let i = 0; i < 100; i++) buffer.push(new Message());
    expect(told[0]).toContain('a chunk is not plain data: give the buffer a codec');
  });

  test('a page that cannot be read back cuts its reader off', async () => {
    using buffer = new ReplayBuffer<string>({
      maxBytes: '16KiB',
      codec: { encode: (chunks) => Buffer.from(chunks.join()), decode: () => [] },
    });
    for (let i = 0; i < 100; i++) buffer.push(long);
    const reader = buffer.subscribe();
    await expect(reader.next()).rejects.toMatchObject({ code: 'PLM_REPLAY_UNREADABLE' });
    expect(reader.done).toBe(true);
  });

  test('a blocking reader makes the producer wait, not for ever', async () => {
    const clock = new FakeClock();
    const buffer = new ReplayBuffer<string>({ maxBytes: '16KiB', overflow: 'lag', clock, blockFor: '5s' });
    const reader = buffer.subscribe({ lag: 'block', name: 'ledger' });
    let pushed = 0;
    while (buffer.push(`${pushed}${long}`)) pushed++;
    expect(buffer.isBlocked).toBe(true);
    expect(() => buffer.push('more')).toThrow('and waits for ledger.');
    let went = 0;
    const writing = buffer.write('waited').then(() => went++);
    for (let i = 0; i < 12; i++) await reader.next();
    await writing;
    expect(went).toBe(1);
    while (buffer.push(long));
    const ready = buffer.ready();
    clock.advance(4000);
    expect(buffer.isBlocked).toBe(true);
    clock.advance(1001);
    await ready;
    await expect(reader.next()).rejects.toThrow('it kept the producer waiting for too long');
    buffer[Symbol.dispose]();
    expect(clock.waiting).toBe(0);
  });

  test('a blocking reader that leaves lets the producer go on', async () => {
    using buffer = new ReplayBuffer<string>({ maxBytes: '8KiB', overflow: 'lag', lag: 'block' });
    const reader = buffer.subscribe();
    while (buffer.push(long));
    const ready = buffer.ready();
    await reader.return();
    await ready;
    expect(buffer.push(long)).toBe(true);
    await buffer.ready();
  });

  test('one chunk larger than the bound is taken', async () => {
    using buffer = new ReplayBuffer<string>({ maxBytes: 100, overflow: 'lag' });
    const reader = buffer.subscribe();
    buffer.push(long);
    expect((await reader.next()).value).toBe(long);
  });

  test('hooks that throw are reported and replaced', async () => {
    using buffer = new ReplayBuffer<string>({
      maxBytes: '1KiB',
      size: () => Number.NaN,
      coalesce: {
        joinable: () => true,
        join: () => {
          throw new Error('no');
        },
      },
    });
    const failed: string[] = [];
    buffer.on('hook-failed', ({ hook }) => failed.push(hook));
    buffer.on('hook-failed', () => {
      throw new Error('a listener that throws harms nobody');
    });
    for (let i = 0; i < 30; i++) buffer.push(`${i}${'x'.repeat(100)}`);
    buffer.end();
    const read: number[] = [];
    for await (const chunk of buffer) read.push(Number.parseInt(chunk, 10));
    expect(read).toEqual(Array.from({ length: 30 }, (_, i) => i));
    expect(failed.filter((hook) => hook === 'coalesce')).toHaveLength(1);
    expect(failed).toContain('size');
    using other = new ReplayBuffer<string>({
      maxBytes: '1KiB',
      size: () => 8,
      coalesce: {
        joinable: () => {
          throw new Error('no');
        },
        join: (run) => run.join(''),
      },
    });
    other.push('a');
    other.push('b');
    other.end();
    expect(other.stats()).toMatchObject({ chunks: 2 });
  });
});
