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

test('MCP: with an idle time in the policy abandoned sessions close their transports, which empties the map of the program', async () => {
  const { ids, left, status } = await result<Sessions>('mcp-server.mjs', {
    env: { WAITS: '1', UNTIL_EMPTY: '1', SESSIONS: '20' },
    policy: 'sessions: { idle: 1s }\n',
  });
  expect(ids).toBe(20);
  expect(left).toBe(0);
  // As the protocol wants it: 404 makes a client initialize again.
  expect(status).toBe(404);
});

test('MCP: the same server alone keeps every session and every event', async () => {
  const { left, events } = await result<Sessions>('mcp-server.mjs', {
    isGoverned: false,
    env: { SESSIONS: '20', EVENTS: '1' },
  });
  expect(left).toBe(20);
  expect(events).toBeGreaterThanOrEqual(40);
});

test('MCP: a flood of clients that only initialize, and their events, are bounded by the policy', async () => {
  const { left, events } = await result<Sessions>('mcp-server.mjs', {
    env: { WAITS: '1', SESSIONS: '20', EVENTS: '1' },
    policy: 'sessions: { idle: 1h, most: 5, events: 10 }\n',
  });
  expect(left).toBe(5);
  expect(events).toBeLessThanOrEqual(10);
});
