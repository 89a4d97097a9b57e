/**
 * The live leaks of the frameworks: each leaks as measured when the program runs alone, and under the preload, with no change of the program,
 * it keeps less than 100 B per call, or what the policy allows.
 */
import { beforeAll, expect, test } from 'vitest';
import { installFrameworks, result } from './frameworks.ts';
import type { RunOptions } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

interface Both<T> {
  readonly alone: T;
  readonly governed: T;
}

/** What the same program prints alone and governed. Its first calls load and compile code, so the governed one needs more of them. */
async function both<T>(
  program: string,
  calls: readonly [alone: number, governed: number],
  { args = [], env = {}, policy }: RunOptions = {},
): Promise<Both<T>> {
  const of = (count: number): Record<string, string> => ({ ...env, CALLS: String(count) });
  return {
    alone: await result<T>(program, { isGoverned: false, args, env: of(calls[0]) }),
    governed: await result<T>(program, { args, env: of(calls[1]), ...(policy !== undefined && { policy }) }),
  };
}

interface Kept {
  readonly bytesPerCall: number;
}

test.each(['shared', 'any'])(
  'AI SDK 7: a reader leaves early, on a long-lived signal (%s)',
  async (signal) => {
    const { alone, governed } = await both<Kept>('ai-left.mjs', [60, 600], { args: [signal] });
    expect(alone.bytesPerCall).toBeGreaterThan(80_000);
    expect(governed.bytesPerCall).toBeLessThan(100);
  },
);

test('LangGraph: a listener per call on a long-lived signal', async () => {
  const { alone, governed } = await both<Kept & { readonly listeners: number }>(
    'langgraph-left.mjs',
    [100, 500],
  );
  expect(alone.listeners).toBe(200);
  expect(alone.bytesPerCall).toBeGreaterThan(800);
  // One of ours for all calls that are not collected yet, or none.
  expect(governed.listeners).toBeLessThanOrEqual(1);
  expect(governed.bytesPerCall).toBeLessThan(100);
});

test('LangGraph: MemorySaver keeps every checkpoint of a thread, each with the whole state', async () => {
  interface Talk {
    readonly alone: { readonly turns: number; readonly half: number; readonly bytes: number };
    readonly charged: Readonly<Record<string, number>>;
  }
  const env = { ALONE: '1' };
  const policy = 'sessions: { checkpoints: { keep: 1 } }\n';
  const { alone: free, governed: bound } = await both<Talk>('checkpoints.mjs', [1, 1], { env, policy });
  // Quadratic: twice the turns hold four times as much. Bound, only the newest checkpoint stays, and it is charged to the session.
  expect(free.alone.bytes / free.alone.half).toBeGreaterThan(3.5);
  expect(bound.alone.turns).toBe(free.alone.turns);
  expect(bound.alone.bytes).toBeLessThan(free.alone.bytes / 20);
  expect(bound.charged).toEqual({ one: bound.alone.bytes });
  // Without a bound in the policy every checkpoint stays, and is charged, too.
  const told = await result<Talk>('checkpoints.mjs', { env });
  expect(told.alone.bytes).toBe(free.alone.bytes);
  expect(told.charged).toEqual({ one: told.alone.bytes });
});

interface Runs extends Kept {
  readonly runs: number;
  /** Suspended runs that Mastra holds, and rows in its store. */
  readonly kept: number;
  readonly snapshots: number;
  readonly open: { readonly parked?: number };
}

test('Mastra: runs that were created and dropped without a start', async () => {
  const { alone, governed } = await both<Runs>('mastra-runs.mjs', [100, 300]);
  expect(alone.runs).toBe(200);
  expect(alone.bytesPerCall).toBeGreaterThan(3000);
  expect(governed.runs).toBe(0);
  expect(governed.bytesPerCall).toBeLessThan(100);
});

test('Mastra: runs that wait for an approval that never comes', async () => {
  const alone = await result<Runs>('mastra-runs.mjs', {
    isGoverned: false,
    args: ['suspended'],
    env: { CALLS: '8' },
  });
  expect([alone.kept, alone.bytesPerCall > 50_000]).toEqual([16, true]);
  const governed = await result<Runs>('mastra-runs.mjs', {
    args: ['suspended'],
    env: { CALLS: '40', UNTIL_LEFT: '1' },
    policy: 'sessions: { idle: 1s }\n',
  });
  expect([governed.open.parked, governed.kept, governed.snapshots]).toEqual([undefined, 0, 0]);
  // Nothing that grows with the runs: what 40 of them leave is less than one.
  expect(governed.bytesPerCall).toBeLessThan(alone.bytesPerCall / 40);
  // Without an idle time in the policy they wait on, as parked scopes that are seen and counted.
  const env = { CALLS: '8' };
  const waiting = await result<Runs>('mastra-runs.mjs', { args: ['suspended'], env });
  expect([waiting.open.parked, waiting.kept]).toEqual([16, 16]);
});

interface Sessions {
  /** Entries in the program's own map at the end, sessions that were begun, events that are stored. */
  readonly left: number;
  readonly ids: number;
  readonly events: number;
  readonly status: number;
}

test('MCP: sessions whose client never sends DELETE, and their events', async () => {
  const env = { SESSIONS: '20' };
  const alone = await result<Sessions>('mcp-server.mjs', { isGoverned: false, env: { ...env, EVENTS: '1' } });
  expect(alone.left).toBe(20);
  expect(alone.events).toBeGreaterThanOrEqual(40);
  const idle = await result<Sessions>('mcp-server.mjs', {
    env: { ...env, WAITS: '1', UNTIL_EMPTY: '1' },
    policy: 'sessions: { idle: 1s }\n',
  });
  expect([idle.ids, idle.left]).toEqual([20, 0]);
  // As the protocol wants it: 404 makes a client initialize again.
  expect(idle.status).toBe(404);
  const flood = await result<Sessions>('mcp-server.mjs', {
    env: { ...env, WAITS: '1', EVENTS: '1' },
    policy: 'sessions: { idle: 1h, most: 5, events: 10 }\n',
  });
  expect(flood.left).toBe(5);
  expect(flood.events).toBeLessThanOrEqual(10);
});
