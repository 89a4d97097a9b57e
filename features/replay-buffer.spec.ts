import { openSync } from 'node:fs';
import { describeFeature, loadFeature } from '@amiceli/vitest-cucumber';
import { expect } from 'vitest';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { ReplayBuffer, replay } from '@plimsoll/keep';
import type { ReplayReader } from '@plimsoll/keep/replay-buffer';

interface Delta {
  readonly type: 'text-delta';
  readonly id: string;
  readonly text: string;
}

const delta = (text: string): Delta => ({ type: 'text-delta', id: '0', text });
const feature = await loadFeature('./features/replay-buffer.feature');

async function textOf(reader: AsyncIterable<Delta>): Promise<string> {
  let text = '';
  for await (const chunk of reader) text += chunk.text;
  return text;
}

describeFeature(feature, ({ Scenario }) => {
  Scenario('A client that comes late sees the whole reply', ({ Given, When, Then, And }) => {
    let buffer: ReplayBuffer<Delta>;
    let texts: string[];
    Given('a reply of 20,000 text deltas in a buffer of 64 KiB', () => {
      buffer = new ReplayBuffer({ maxBytes: '64KiB' });
    });
    When('one client reads along and another comes after the end', async () => {
      const along = textOf(buffer.subscribe());
      for (let i = 0; i < 20_000; i++) {
        buffer.push(delta(`${i} `));
        if (i % 100 === 0) await Promise.resolve();
      }
      buffer.end();
      texts = [await along, await textOf(buffer.subscribe())];
    });
    Then('both have the same text', () => {
      const whole = Array.from({ length: 20_000 }, (_, i) => `${i} `).join('');
      expect(texts).toEqual([whole, whole]);
    });
    And('the buffer never held more than 64 KiB', () => {
      expect(buffer.stats().peakBytes).toBeLessThanOrEqual(64 * 1024);
      buffer[Symbol.dispose]();
    });
  });

  Scenario('A slow client costs itself, not the server', ({ Given, When, Then, And }) => {
    let buffer: ReplayBuffer<string>;
    let dropping: ReplayReader<string>;
    let cut: ReplayReader<string>;
    Given('a reply in a buffer of 16 KiB that may not spill', () => {
      buffer = new ReplayBuffer({ maxBytes: '16KiB', overflow: 'lag' });
    });
    And('a client with the lag policy "drop" that does not read', () => {
      dropping = buffer.subscribe({ lag: 'drop' });
    });
    And('a client with the lag policy "disconnect" that does not read', () => {
      cut = buffer.subscribe({ lag: 'disconnect' });
    });
    When('200 KiB of reply arrive', () => {
      for (let i = 0; i < 200; i++) buffer.push(`${i}${'x'.repeat(1020)}`);
      expect(buffer.bytes).toBeLessThanOrEqual(17 * 1024);
    });
    Then('the first is told how many chunks it lost', async () => {
      const { value } = await dropping.next();
      expect(dropping.lost).toBeGreaterThan(100);
      expect(Number.parseInt(value as string, 10)).toBe(dropping.lost);
    });
    And('the second is cut off with "PLM_REPLAY_LAGGED"', async () => {
      await expect(cut.next()).rejects.toMatchObject({ code: 'PLM_REPLAY_LAGGED' });
      buffer[Symbol.dispose]();
    });
  });

  Scenario('The disk is full', ({ Given, When, Then, And }) => {
    let buffer: ReplayBuffer<string>;
    let reader: ReplayReader<string>;
    const told: string[] = [];
    Given('a reply in a buffer of 16 KiB whose disk is full', () => {
      buffer = new ReplayBuffer({
        maxBytes: '16KiB',
        spillTo: { open: () => openSync('/dev/full', 'r+') },
      });
      buffer.on('spill-failed', ({ error }) => told.push(error.message));
    });
    And('a client with the lag policy "drop" that does not read', () => {
      reader = buffer.subscribe({ lag: 'drop' });
    });
    When('200 KiB of reply arrive', () => {
      for (let i = 0; i < 200; i++) buffer.push(`${i}${'x'.repeat(1020)}`);
      buffer.end();
    });
    Then('the buffer says that it could not spill', () => {
      expect(told[0]).toContain('ENOSPC: no space left on device');
    });
    And('chunks read, chunks lost and chunks pushed add up', async () => {
      let read = 0;
      for await (const _ of reader) read++;
      expect(read + reader.lost).toBe(200);
      buffer[Symbol.dispose]();
    });
  });

  Scenario('The user presses stop', ({ Given, When, Then, And }) => {
    let buffer: ReplayBuffer<string>;
    let readers: ReplayReader<string>[];
    let cancelled = 0;
    Given('a reply that two clients read along', async () => {
      const source = new ReadableStream<string>({
        pull: (controller) => controller.enqueue('word '),
        cancel: () => void cancelled++,
      });
      buffer = replay(source, { maxBytes: '1MiB', overflow: 'lag', lag: 'block' });
      readers = [buffer.subscribe(), buffer.subscribe()];
      for (const reader of readers) expect((await reader.next()).value).toBe('word ');
    });
    When('the reply is cancelled', () => buffer.cancel('stop'));
    Then("the model's stream is cancelled", async () => {
      await expect.poll(() => cancelled).toBe(1);
    });
    And('both clients get one error and then their end', async () => {
      for (const reader of readers) {
        await expect(reader.next()).rejects.toMatchObject({ code: 'PLM_REPLAY_CANCELLED' });
        expect((await reader.next()).done).toBe(true);
      }
    });
  });

  Scenario('A finished reply does not stay', ({ Given, When, Then }) => {
    const clock = new FakeClock();
    let buffer: ReplayBuffer<string>;
    Given('a finished reply that was read', async () => {
      buffer = new ReplayBuffer({ maxBytes: '1MiB', clock });
      for (let i = 0; i < 100; i++) buffer.push(`${i}`);
      buffer.end();
      for await (const _ of buffer);
    });
    When('31 seconds pass', () => clock.advance(31_000));
    Then('nothing of it is held any more', () => {
      expect(buffer.stats()).toMatchObject({ released: true, bytes: 0, chunks: 0, readers: 0 });
      expect(clock.waiting).toBe(0);
    });
  });
});
