import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { userInfo, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readPolicyFile } from '@plimsoll/govern/internal/policy/policy-file';
import { socketPath, writeDescriptor } from '@plimsoll/host/protocol';
import { FeedServer } from '@plimsoll/host/internal/feed/feed-server';
import { rollbackOps } from '@plimsoll/host/internal/control/policy';
import { PolicyGuard } from '@plimsoll/host/internal/parts/govern/rollback';
import { TestIo } from '../io.fixture.ts';

let dir: string;
let server: FeedServer;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rollback-cli-'));
  const run = join(dir, '.plimsoll');
  const file = join(dir, 'plimsoll.yaml');
  writeFileSync(file, 'apiVersion: plimsoll/v1\nrevision: 14\nmode: enforce\n');
  const guard = new PolicyGuard({
    policy: readPolicyFile(file),
    ledgerDir: join(run, 'ledger'),
    governor: { level: 'normal', isOwnLimit: false },
    roster: { opened: 0 },
    ledger: { audit: () => Promise.resolve() },
    apply: () => {},
    follow: () => () => {},
  });
  const socket = socketPath(run, process.pid);
  writeDescriptor(run, { pid: process.pid, target: 'node server.js', startedAt: 1, socket });
  server = new FeedServer(socket);
  server.offer([rollbackOps(() => guard)]);
  server.listen((error) => {
    throw error;
  });
  await vi.waitFor(() => expect(statSync(socket).mode & 0o777).toBe(0o600));
});

afterEach(() => {
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

async function plimsoll(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const io = new TestIo(dir);
  const code = await io.plimsoll('rollback', ...args);
  const tidy = (text: string): string => text.replaceAll(String(process.pid), 'PID').replaceAll(dir, 'DIR');
  return { code, out: tidy(io.out), err: tidy(io.err) };
}

test('to shadow and back, with what holds', async () => {
  expect(await plimsoll('--to', 'shadow', '--reason', 'look first')).toMatchInlineSnapshot(`
    {
      "code": 0,
      "err": "",
      "out": "node server.js (PID) went from revision 14 in mode enforce to revision 14 in mode shadow; it holds until the policy file changes or "plimsoll rollback --undo"
    no policy was kept as good yet
    ",
    }
  `);
  const { out } = await plimsoll('--state');
  expect(out.replaceAll(userInfo().username, 'ann')).toMatchInlineSnapshot(`
    "node server.js (PID) goes by revision 14 in mode shadow; it holds until the policy file changes or "plimsoll rollback --undo"
    last change: user:ann rolled the policy back: look first
    no policy was kept as good yet
    "
  `);
  expect((await plimsoll('--undo', '--reason', 'mended')).out).toContain('to revision 14 in mode enforce\n');
});

test('JSON has the record and the state', async () => {
  const { out } = await plimsoll(String(process.pid), '--reason', 'x', '--json');
  expect(JSON.parse(out.replaceAll('PID', '1'))).toMatchObject({
    record: { event: 'rollback', trigger: 'manual', reason: 'x' },
    state: { isLatched: true, good: [] },
    inForce: { mode: 'shadow' },
  });
});

test('what cannot be done is said with what can', async () => {
  const refused = await plimsoll('--to', '13', '--reason', 'x');
  expect([refused.code, refused.err]).toMatchInlineSnapshot(`
    [
      1,
      "PLM_ROLLBACK_UNKNOWN: there is no good policy with revision 13.
      at:  plimsoll rollback --to REVISION
      fix: use --to shadow; no policy was kept yet.
    ",
    ]
  `);
  expect((await plimsoll()).err).toContain('--reason');
  expect((await plimsoll('--to', 'yesterday', '--reason', 'x')).err).toContain(
    'last-good, shadow or the revision',
  );
  expect((await plimsoll('1', '--reason', 'x')).err).toContain('PLM_CLI_NO_PROCESS');
});
