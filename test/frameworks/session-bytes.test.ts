import { beforeAll, expect, test } from 'vitest';
import { installFrameworks, result } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

// In percent of the text that the session really holds, beyond what a session without text is said to hold.
test('sessions at once are each said to hold what they hold, in every framework', async () => {
  const said = await result<Record<string, { readonly ofText: readonly number[] }>>('session-bytes.mjs', {
    env: { TEXT_ONLY: '1' },
  });
  expect(Object.keys(said)).toEqual(['ai', 'langgraph', 'mastra', 'openai-agents', 'mcp']);
  for (const ratio of Object.values(said).flatMap(({ ofText }) => ofText)) {
    expect(ratio).toBeGreaterThan(90);
    expect(ratio).toBeLessThan(110);
  }
});
