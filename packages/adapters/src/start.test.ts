import { afterEach, expect, test, vi } from 'vitest';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import { frameworks } from './framework-slot.ts';
import { Adapters } from './start.ts';

const all = ['ai', 'mcp', 'langgraph', 'openai-agents', 'otel', 'mastra'];
let adapters: Adapters | undefined;

afterEach(() => {
  adapters?.stop();
  frameworks().found.clear();
  frameworks().unhooked.clear();
});

const connected = (): readonly string[] => [...frameworks().connected.keys()].toSorted();

test('an adapter is connected when its framework is there and the policy has it on', async () => {
  for (const name of all) frameworks().found.add(name);
  adapters = new Adapters(builtInPolicy);
  adapters.follow(builtInPolicy);
  await vi.waitFor(() => expect(connected()).toEqual([...all, 'http'].toSorted()));
  adapters.follow({ ...builtInPolicy, adapters: { mastra: false, http: false } });
  expect(connected()).toEqual(all.filter((name) => name !== 'mastra').toSorted());
  adapters.stop();
  expect(connected()).toEqual([]);
  // A policy that comes after the end connects nothing.
  adapters.follow(builtInPolicy);
  expect(connected()).toEqual([]);
});

test('a name that the framework does not have is told once', async () => {
  const warnings: string[] = [];
  const warn = (warning: Error): void => void warnings.push(warning.message);
  process.on('warning', warn);
  frameworks().found.add('ai');
  frameworks().missed('ai.streamText');
  adapters = new Adapters(builtInPolicy);
  adapters.follow(builtInPolicy);
  await vi.waitFor(() => expect(warnings.join()).toContain('streamText'));
  process.off('warning', warn);
  expect(warnings.filter((text) => text.includes('streamText'))).toHaveLength(1);
});
