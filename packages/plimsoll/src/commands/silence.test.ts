import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AlertRouter } from '@plimsoll/govern/internal/alert/alert-router';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import { socketPath, writeDescriptor } from '@plimsoll/host/protocol';
import { FeedServer } from '@plimsoll/host/internal/feed/feed-server';
import { silenceOps } from '@plimsoll/host/internal/control/silences';
import { TestIo } from '../io.fixture.ts';

let dir: string;
let server: FeedServer;
let router: AlertRouter;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'silence-cli-'));
  const run = join(dir, '.plimsoll');
  router = new AlertRouter({
    rules: builtInPolicy.alerts,
    recipients: [],
    service: 'checkout',
    pod: 'pod-1',
  });
  const socket = socketPath(run, process.pid);
  writeDescriptor(run, { pid: process.pid, target: 'node server.js', startedAt: 1, socket });
  server = new FeedServer(socket);
  server.offer([silenceOps(router)]);
  server.listen((error) => {
    throw error;
  });
  await vi.waitFor(() => expect(statSync(socket).mode & 0o777).toBe(0o600));
});

afterEach(() => {
  server.close();
  router.close();
  rmSync(dir, { recursive: true, force: true });
});

async function plimsoll(...args: readonly string[]): Promise<string> {
  const io = new TestIo(dir);
  const code = await io.plimsoll('silence', ...args);
  return (
    `${code} ${io.out}${io.err}`
      .replaceAll(/\b[0-9a-f]{8}\b/g, 'ID')
      .replaceAll(userInfo().username, 'USER')
      .replaceAll(dir, 'DIR')
      // A minute that has begun since does not count.
      .replaceAll(/\b(?:(\d+) h 59 m|59 m \d+ s) left/g, (_, hours = '0') => `${Number(hours) + 1} h left`)
      .replaceAll(/\b\d+ (s|m \d+ s) left/g, 'TIME left')
      .trim()
  );
}

test('what fires, what is silenced, and how it ends', async () => {
  expect(await plimsoll()).toMatchInlineSnapshot(`
    "0 nothing fires
    no silences"
  `);
  router.raise({
    name: 'memory.rollback',
    level: 'emergency',
    subject: 'growth',
    summary: 'shadow, because of growth.',
  });
  router.stale(16_000);
  expect(
    await plimsoll('add', 'kind=session', 'level!=emergency', '--for', '2h', '--comment', 'load test'),
  ).toMatchInlineSnapshot(
    `"0 silenced ID  kind=session level!=emergency  2 h left, by user:USER, "load test""`,
  );
  expect(await plimsoll('add', 'alertname=memory.finding')).toMatchInlineSnapshot(
    `"0 silenced ID  alertname=memory.finding  1 h left, by user:USER"`,
  );
  expect(await plimsoll('list')).toMatchInlineSnapshot(`
    "0 emergency memory.rollback (process, growth): shadow, because of growth.
    critical memory.sensor.stale (process): no reading for 16 s: levels are held and no action runs.
    silences:
      ID  kind=session level!=emergency  2 h left, by user:USER, "load test"
      ID  alertname=memory.finding  1 h left, by user:USER"
  `);
  const [first] = router.silences();
  expect(await plimsoll('remove', first?.id ?? '')).toMatchInlineSnapshot(`"0 silence ID has ended"`);
  const io = new TestIo(dir);
  await io.plimsoll('silence', 'list', '--json');
  expect(JSON.parse(io.out)).toMatchObject({
    silences: [{ matchers: [{ label: 'alertname', value: 'memory.finding', negated: false }] }],
    counts: { firing: 2 },
    id: null,
  });
});

test('what cannot be done is said with what can', async () => {
  expect(
    [
      await plimsoll('mute'),
      await plimsoll('add', '--for', '2h'),
      await plimsoll('add', 'kind', '--for', '2h'),
      await plimsoll('add', 'kind=x', '--for', 'soon'),
      await plimsoll('add', 'kind=x', '--for', '1y'),
      await plimsoll('remove'),
      await plimsoll('remove', 'nothing'),
      await plimsoll('list', '--pid', '1'),
    ].join('\n'),
  ).toMatchInlineSnapshot(`
    "1 PLM_CLI_BAD_OPTION: verb is "mute"; it has to be list, add or remove.
      at:  verb
      fix: pass list, add or remove.
    1 PLM_ALERT_BAD_SILENCE: it has no matcher.
      at:  plimsoll silence
      fix: add one such as kind=session.
    1 PLM_ALERT_BAD_SILENCE: "kind" is not a matcher.
      at:  plimsoll silence
      fix: write label=value or label!=value; labels are alertname, level, service, pod, kind, subject.
    1 PLM_CLI_BAD_OPTION: --for is "soon"; it has to be a time with a unit such as 2h.
      at:  --for
      fix: pass a time with a unit such as 2h.
    1 PLM_ALERT_BAD_SILENCE: its time is out of bounds.
      at:  plimsoll silence
      fix: give a time of up to 30 d, such as 2h.
    1 PLM_ALERT_BAD_SILENCE: there is no id to remove.
      at:  plimsoll silence
      fix: see the list: plimsoll silence list.
    1 PLM_ALERT_BAD_SILENCE: there is no silence "nothing".
      at:  plimsoll silence
      fix: see the list: plimsoll silence list.
    1 PLM_CLI_NO_PROCESS: process 1 is not governed from here or has ended.
      at:  DIR/.plimsoll
      fix: start one with "plimsoll run -- node server.js", or name its folder with --dir."
  `);
});
