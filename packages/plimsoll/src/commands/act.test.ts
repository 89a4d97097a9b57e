import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@plimsoll/core/internal/sense/clock';
import { Admission } from '@plimsoll/govern/internal/admission/admission';
import { HandActions } from '@plimsoll/govern/internal/ladder/by-hand';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import { actOps } from '@plimsoll/host/internal/control/act';
import { FeedServer } from '@plimsoll/host/internal/feed/feed-server';
import { ask, socketPath, writeDescriptor } from '@plimsoll/host/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TestIo } from '../io.fixture.ts';
import { actRoutes } from '../server/act-routes.ts';
import type { RouteContext } from '../server/route.ts';

const mib = 1024 ** 2;
let dir: string;
let server: FeedServer;
let hand: HandActions;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'act-cli-'));
  const run = join(dir, '.plimsoll');
  const session = {
    id: 1,
    kind: 'session',
    name: '42',
    path: 'process/session:42',
    bytes: 3 * mib,
    idleMs: 0,
    ageMs: 0,
    leases: 0,
    close: () => Promise.resolve(),
  };
  hand = new HandActions({
    clock: systemClock,
    levers: { admission: new Admission(), scopes: () => [session], keepers: () => [] },
    policy: () => builtInPolicy,
    standing: () => ({ usedBytes: 50 * mib, limitBytes: 100 * mib, level: 'normal' }),
  });
  const socket = socketPath(run, process.pid);
  writeDescriptor(run, { pid: process.pid, target: 'node server.js', startedAt: 1, socket });
  server = new FeedServer(socket);
  server.offer([actOps(hand)]);
  server.listen((error) => {
    throw error;
  });
  await vi.waitFor(() => expect(statSync(socket).mode & 0o777).toBe(0o600));
});

afterEach(() => {
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

async function plimsoll(...args: readonly string[]): Promise<string> {
  const io = new TestIo(dir);
  const code = await io.plimsoll('act', ...args);
  return `${code} ${io.out}${io.err}`.replaceAll(dir, 'DIR').trim();
}

test('a quarantine by hand, its end, and what had nothing to do', async () => {
  expect(await plimsoll('quarantine', 'session:42')).toBe(
    '0 done: scope.quarantine on process/session:42: quarantined process/session:42 (3.0 MiB).',
  );
  expect(await plimsoll('quarantine', 'session:42', '--off')).toBe(
    '0 done: scope.release on process/session:42: takes work again: process/session:42.',
  );
  expect(await plimsoll('session.park', '--until', '60%')).toBe(
    '0 skipped: session.park on process: is below 60 % already.',
  );
  expect(hand.log.rows[0]).toMatchObject({ rule: `by hand (user:${userInfo().username})` });
  const json = JSON.parse((await plimsoll('hint', '--json')).slice(2)) as { outcome: string };
  expect(json.outcome).toBe('skipped');
});

test('what cannot be meant says what can', async () => {
  expect(await plimsoll('park')).toMatch(/^1 PLM_ACT_UNKNOWN: there is no action "park"/);
  expect(await plimsoll('session.park', '--set', 'until')).toContain('PLM_CLI_BAD_OPTION');
  expect(await plimsoll('session.park', '--set', 'untill=60%')).toContain('PLM_POLICY_UNKNOWN_KEY');
  expect(await plimsoll('quarantine', 'session:7')).toContain('no open scope is called so');
  expect(await plimsoll('session.park', '--pid', '1')).toContain('PLM_CLI_NO_PROCESS');
  const socket = socketPath(join(dir, '.plimsoll'), process.pid);
  for (const args of [{ action: 7 }, { action: 'hint', options: 'x' }, { action: 'hint', options: { a: 1 } }])
    await expect(ask(socket, 'act', args)).rejects.toMatchObject({ code: 'PLM_CONTROL_BAD_REQUEST' });
});

test('the page asks for its owner alone', async () => {
  const asked: unknown[] = [];
  const handle = (caller: object | undefined, body: unknown): unknown =>
    actRoutes[0]?.handle({
      caller,
      body: () => Promise.resolve(body),
      source: () =>
        Promise.resolve({
          act: (request: unknown, by: string) => {
            asked.push([request, by]);
            return Promise.resolve({ outcome: 'done' });
          },
        }),
    } as unknown as RouteContext);
  const owner = { isOwner: true, by: 'user:ann' };
  const body = { action: 'scope.quarantine', scope: 'session:42', off: true, extra: 1 };
  expect(await handle(owner, body)).toEqual({ outcome: 'done' });
  expect(asked).toEqual([[{ action: 'scope.quarantine', scope: 'session:42', off: true }, 'user:ann']]);
  await expect(handle({ isOwner: false }, body)).rejects.toMatchObject({ code: 'PLM_SERVER_OWNER_ONLY' });
  await expect(handle(owner, {})).rejects.toMatchObject({ code: 'PLM_CONTROL_BAD_REQUEST' });
});
