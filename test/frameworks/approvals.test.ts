import { beforeAll, expect, test } from 'vitest';
import { installFrameworks, result } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

test('a delegation waits for a human in the own way of each framework, and goes on or is refused by the answer', async () => {
  expect(
    await result('approvals.mjs', { isGoverned: false, nodeFlags: ['--conditions=plimsoll-source'] }),
  ).toEqual({
    ai: ['done', ['researcher']],
    mastra: ['done', ['researcher']],
    langgraph: ['true false', 2],
    agents: ['done', ['researcher'], 2],
    asked: 8,
  });
});
