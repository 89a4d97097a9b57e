import { beforeAll, expect, test } from 'vitest';
import { installFrameworks, result } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

interface Told {
  readonly ai: readonly number[];
  readonly agents: readonly [string, ...number[]];
  readonly mastra: readonly [string, ...number[]];
  readonly result: string;
  readonly readers: readonly unknown[];
}

test('conversations, tool results and streams are bounded by the own means of each framework', async () => {
  const {
    ai,
    agents,
    mastra,
    result: cut,
    readers,
  } = await result<Told>('bounds.mjs', {
    isGoverned: false,
    nodeFlags: ['--conditions=plimsoll-source'],
  });
  expect([agents[0], mastra[0]]).toEqual(['done', 'done']);
  // 21 messages of 1,000 letters each, of which 6 KiB are sent at both steps.
  const sent = [...ai, ...agents.slice(1), ...mastra.slice(1)] as readonly number[];
  expect(sent).toHaveLength(6);
  for (const letters of sent) {
    expect(letters).toBeGreaterThan(1000);
    expect(letters).toBeLessThan(6 * 1024);
  }
  expect(cut).toBe('y\\n(cut from 48.9 KiB)');
  // Three readers and one that left, of one call of the model.
  const text = 'one two three four';
  expect(readers).toEqual([text, text, text, 1]);
});
