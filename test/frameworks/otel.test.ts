import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { installFrameworks, result } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

/** Spans leave the machine, so their paths have a hash in place of the session's id. */
const exported = (path: string): string =>
  path.replace(/session:(\w+)/, (_, id: string) => {
    const hash = createHash('sha256').update(id).digest('base64url').slice(0, 10);
    return `session:${hash}`;
  });

test('OpenTelemetry: GenAI spans are scopes in the session of their conversation, and every span has the path of its scope', async () => {
  const planner = 'process/session:one/agent:planner';
  const researcher = `${planner}/tool:ask/agent:researcher`;
  const again = 'process/session:one/agent:again';
  expect(await result('otel-tree.mjs')).toEqual({
    opened: [
      'process/session:one',
      planner,
      `${planner}/stage:model`,
      `${planner}/tool:ask`,
      researcher,
      `${researcher}/tool:search`,
      'process/session:two',
      'process/session:two/agent:failing',
      again,
      `${again}/stage:model`,
      'process/agent:agent',
    ],
    inside: [researcher, `${researcher}/tool:search`, 'process/agent:agent'],
    attributes: [
      ['chat', `${planner}/stage:model`],
      ['execute_tool search', `${researcher}/tool:search`],
      ['invoke_agent researcher', researcher],
      ['execute_tool ask', `${planner}/tool:ask`],
      ['db', planner],
      ['invoke_agent planner', planner],
      ['invoke_agent failing', 'process/session:two/agent:failing'],
      ['chat', `${again}/stage:model`],
      ['invoke_agent again', again],
      ['invoke_agent left', 'process/agent:agent'],
    ].map(([name, path]) => [name, exported(path as string)]),
    open: ['process/session:one', 'process/session:two'],
  });
});
