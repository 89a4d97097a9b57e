import { beforeAll, expect, test } from 'vitest';
import { installFrameworks, result } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

interface Sessions {
  readonly during: { readonly transports: number; readonly sessions: number };
  readonly inside: readonly (string | null)[];
  /** Entries in the program's own map at the end. */
  readonly left: number;
  readonly status: number;
  readonly open: readonly string[];
  /** Sessions that were begun. */
  readonly ids: number;
  readonly events: number;
}

test('MCP: a session per transport, a tool scope per call, and the session lives as long as its transport', async () => {
  const { during, inside, left, open } = await result<Sessions>('mcp-server.mjs', { env: { WAITS: '1' } });
  expect(during).toEqual({ transports: 3, sessions: 3 });
  expect(inside).toHaveLength(3);
  for (const path of inside)
    expect(path).toMatch(/^process\/session:[\w-]{10}(?:\/request:POST mcp)?\/tool:add$/);
  // Without a policy nothing is closed: a client may still come back.
  expect(left).toBe(3);
  expect(open).toHaveLength(4);
});

test('MCP: tools, and the agents in them, are in the session of their transport, closed after an error and a call that is given up', async () => {
  const tool = 'process/session:1/request:POST mcp/tool:ask';
  const step = `${tool}/agent:researcher/stage:step`;
  const nodeFlags = ['--conditions=plimsoll-source'];
  expect(await result('mcp-tree.mjs', { nodeFlags })).toEqual({
    opened: [
      'process/session:1',
      tool,
      `${tool}/agent:researcher`,
      step,
      `${step}/stage:model`,
      `${step}/tool:search`,
      step,
      `${step}/stage:model`,
      'process/session:2',
      'process/session:2/request:POST mcp/tool:fails',
      'process/session:3',
      'process/session:3/request:POST mcp/tool:waits',
    ],
    inside: [tool, `${step}/tool:search`],
    answers: [[false, 'done'], [true, 'planned'], ['given up']],
    left: [],
    transports: 0,
  });
});
