import { beforeAll, expect, test } from 'vitest';
import { installFrameworks, result } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

/** Whether it was a stream, how it ended, and how often a model was asked after the first time. */
type Ending = readonly [isStream: boolean, end: string, furtherSteps: number];

test('a run whose scope is closed stops in every framework, and the others go on', async () => {
  const told =
    await result<Record<string, { readonly stopped: readonly Ending[]; readonly kept: readonly Ending[] }>>(
      'stopped.mjs',
    );
  expect(Object.keys(told)).toEqual(['ai', 'langgraph', 'mastra', 'openai-agents']);
  for (const [name, { stopped, kept }] of Object.entries(told)) {
    expect(
      stopped.map(([, , steps]) => steps),
      name,
    ).toEqual([0, 0]);
    const further = name === 'langgraph' ? 0 : 1;
    expect(kept, name).toEqual([
      [true, 'ended', further],
      [false, 'ended', further],
    ]);
  }
  // A stream without an error to its reader is the way of the AI SDK, Mastra and OpenAI Agents; Mastra does so for all.
  const closed = /^process\/session:[\w-]+-stopped-\w+(?:\/run:Agent workflow)?\/agent:\w+ was closed$/;
  for (const name of ['ai', 'langgraph', 'openai-agents'])
    expect(told[name]?.stopped[1]?.[1]).toMatch(closed);
});
