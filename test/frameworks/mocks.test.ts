import { beforeAll, expect, test } from 'vitest';
import { installFrameworks, result } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

test('the mocks of the test kit answer on the real AI SDK, Mastra, LangGraph and OpenAI Agents', async () => {
  expect(
    await result('mocks.mjs', { isGoverned: false, nodeFlags: ['--conditions=plimsoll-source'] }),
  ).toEqual({
    ai: ['sunny today', 2, 'sunny today'],
    mastra: ['sunny today', 'sunny today'],
    langgraph: ['sunny today', true],
    agents: ['sunny today', 'sunny today'],
  });
});
