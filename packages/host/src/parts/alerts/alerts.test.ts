import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { open } from '@plimsoll/core';
import { parseMatcher } from '@plimsoll/govern/internal/alert/silence';
import { useAlertLogger } from '@plimsoll/govern/internal/alert/sinks/log-sink';
import { ApprovalDesk } from '@plimsoll/govern/internal/approvals/approval-desk';
import { drainHooks } from '@plimsoll/core/internal/gate/drain-hooks';
import { parsePolicy } from '@plimsoll/govern/internal/policy/parse';
import { addApprover } from '../../protocol/approver-file.ts';
import { liveDescriptors } from '../../protocol/descriptor.ts';
import { ask } from '../../protocol/control.ts';
import { alertEntry } from './alert-entry.ts';
import { HostAlerts } from './alerts.ts';
import type { SilencesAnswer } from '../../protocol/answers.ts';
import { Host } from '../../host.ts';
import { readSilences, writeSilences } from './silence-file.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
type Received = { readonly headers: IncomingHttpHeaders; readonly body: string };

let dir: string;
let server: Server;
let received: Received[];
let url: string;
let alerts: HostAlerts | undefined;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-alerts-'));
  received = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  alerts?.close();
  alerts = undefined;
  server.close();
  server.closeAllConnections();
});

const policyOf = (text: string) => parsePolicy(`apiVersion: plimsoll/v1\n${text}`, 'plimsoll.yaml');

function alertsOf(text: string, more: { stale?: () => boolean; env?: Record<string, string> } = {}) {
  const policy = policyOf(text);
  const notes: Record<string, string | number>[] = [];
  const desk = new ApprovalDesk({ policy });
  alerts = new HostAlerts({
    policy,
    dir,
    target: 'node server.js',
    history: { note: (kind, body) => notes.push({ kind, ...body }) },
    governor: {
      policy,
      get stale() {
        return more.stale?.() ?? false;
      },
    },
    desk: () => Promise.resolve(desk),
    env: { OPS: secret, SLACK: `${url}/slack`, ...more.env },
  });
  alerts.start();
  return { alerts, notes, desk };
}

const everyKind = (): string => `alerts:
  service: checkout
  urgent-wait: 10ms
  recipients:
    ops: { kind: webhook, url: "${url}/hook", secret: { env: OPS }, allow-private: true }
    chat: { kind: slack, url: { env: SLACK }, allow-private: true }
    prometheus: { kind: alertmanager, url: "${url}/am", allow-private: true }
    captain: { kind: a2a, url: "${url}/agent", allow-private: true, attempts: 1 }
  routes:
    emergency: [ log, ops, chat, prometheus, captain ]`;

test('an emergency reaches everyone the policy names, and the ledger says who was told and who was not', async () => {
  const lines: string[] = [];
  const log = (message: string): void => void lines.push(message);
  useAlertLogger({ info: log, warn: log, error: log });
  const { alerts, notes } = alertsOf(everyKind());
  alerts.router.raise({ name: 'memory.rollback', level: 'emergency', summary: 'shadow, because of growth.' });
  await vi.waitFor(() => expect(notes).toHaveLength(4));
  await vi.waitFor(() =>
    expect(received.map(({ headers }) => headers['content-type'])).toContain('application/json'),
  );
  useAlertLogger();
  expect(lines.join()).toContain('emergency memory.rollback (process): shadow, because of growth.');
  expect(notes.map(({ text }) => String(text)).toSorted()).toEqual([
    // The server answers 204 to whoever asks for its agent card.
    'not delivered to captain, Unexpected end of JSON input: emergency memory.rollback process',
    'sent to chat: emergency memory.rollback process',
    'sent to log: emergency memory.rollback process',
    'sent to ops: emergency memory.rollback process',
  ]);
  expect(JSON.stringify(notes)).not.toContain(secret.slice(6));
});

test('another policy changes who is told; the same alerts change nothing', async () => {
  const { alerts, notes } = alertsOf('alerts: { urgent-wait: 10ms }');
  const before = alerts.router.counts.recipients;
  alerts.setPolicy(policyOf('alerts: { urgent-wait: 10ms }'));
  expect(alerts.router.counts.recipients).toEqual(before);
  alerts.setPolicy(policyOf(everyKind()));
  expect(Object.keys(alerts.router.counts.recipients)).toEqual([
    'log',
    'ops',
    'chat',
    'captain',
    'prometheus',
  ]);
  expect(notes).toEqual([]);
});

test('a governor without readings alerts, until they come again', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let stale = true;
  const { alerts } = alertsOf('mode: observe', { stale: () => stale });
  vi.advanceTimersByTime(2000);
  expect(alerts.router.alerts().map(({ labels }) => labels.alertname)).toEqual(['memory.sensor.stale']);
  stale = false;
  vi.advanceTimersByTime(1000);
  expect(alerts.router.alerts()).toEqual([]);
  vi.useRealTimers();
});

test('a drain tells what waits, and how the life before ended is told', async () => {
  const { alerts, notes } = alertsOf(everyKind());
  alerts.resumed(undefined);
  alerts.resumed({ text: 'last exit: memory; 3 sessions parked, 1 lost.', lost: 1 } as Parameters<
    HostAlerts['resumed']
  >[0]);
  expect(
    alerts.router.alerts().map(({ labels, summary }) => `${labels.level} ${labels.alertname}: ${summary}`),
  ).toEqual(['critical memory.restart: last exit: memory; 3 sessions parked, 1 lost.']);
  alerts.router.raise({ name: 'memory.restart', level: 'emergency', summary: 'drains and ends.' });
  const hooks = drainHooks();
  expect(hooks).toHaveLength(1);
  await hooks[0]?.({
    reason: 'memory',
    deadlineAt: Date.now() + 50_000,
    signal: AbortSignal.timeout(50_000),
  });
  expect(notes.filter(({ recipient }) => recipient === 'ops').map(({ event }) => event)).toEqual(['sent']);
  alerts.close();
  expect(drainHooks()).toHaveLength(0);
});

describe('A2A from the policy', () => {
  test('the server takes the tokens of approvers, and moves with the policy', async () => {
    const { alerts, notes } = alertsOf('alerts: { a2a-server: { port: 0 } }');
    await vi.waitFor(() => expect(notes).toHaveLength(1));
    const address = String(notes[0]?.['text']).split(' at ')[1] ?? '';
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } });
    const post = async (token: string): Promise<unknown> => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'a2a-version': '1.0',
      };
      const answer = await fetch(address, { method: 'POST', headers, body });
      return answer.status === 200
        ? ((await answer.json()) as { error: { code: number } }).error.code
        : answer.status;
    };
    const token = addApprover(join(dir, 'approvers.json'), 'agent:captain', []);
    expect([await post(token), await post('wrong')]).toEqual([-32_001, 401]);
    alerts.setPolicy(policyOf('alerts: { a2a-server: { port: 0, url: "https://memory.example.com" } }'));
    await vi.waitFor(() => expect(notes).toHaveLength(2));
    await vi.waitFor(() => expect(fetch(address)).rejects.toThrow('fetch failed'));
    alerts.setPolicy(policyOf('mode: observe'));
  });

  test('a port that is taken is said, and everything else goes on', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', onWarning);
    const { notes } = alertsOf(`alerts: { a2a-server: { port: ${new URL(url).port} } }`);
    await vi.waitFor(() => expect(notes.map(({ event }) => event)).toEqual(['a2a-failed']));
    await vi.waitFor(() => expect(warnings.join()).toContain('PLM_A2A_LISTEN'));
    process.off('warning', onWarning);
  });
});

describe('silences', () => {
  test('last over a restart, in a file of the owner', () => {
    const { alerts, notes } = alertsOf('mode: observe');
    const { id } = alerts.router.silence({
      matchers: [parseMatcher('kind!=session')],
      author: 'user:ann',
      forMs: 60_000,
      comment: 'why',
    });
    expect(statSync(join(dir, 'silences.json')).mode & 0o777).toBe(0o600);
    alerts.close();
    const next = alertsOf('mode: observe').alerts;
    expect(next.router.silences()).toEqual(readSilences(dir));
    expect(next.router.unsilence(id, 'user:bob')).toBe(true);
    expect(readSilences(dir)).toEqual([]);
    expect(notes).toMatchObject([
      { kind: 'alert', event: 'silenced', matchers: 'kind!=session', by: 'user:ann', comment: 'why' },
    ]);
  });

  test('a file that is not ours is not believed, one that is over is dropped, and a folder that cannot be written harms nothing', () => {
    const good = {
      id: 'a',
      author: 'b',
      comment: '',
      createdAt: 1,
      endsAt: 2,
      matchers: [{ label: 'kind', value: 'x', negated: false }],
    };
    const write = (value: unknown): void => writeFileSync(join(dir, 'silences.json'), JSON.stringify(value));
    write([
      good,
      { ...good, matchers: [{ label: 'colour', value: 'x', negated: false }] },
      { ...good, id: 1 },
      null,
      3,
    ]);
    expect(readSilences(dir)).toEqual([good]);
    expect(alertsOf('mode: observe').alerts.router.silences()).toEqual([]);
    write({});
    expect(readSilences(dir)).toEqual([]);
    writeFileSync(join(dir, 'silences.json'), '[');
    expect(readSilences(dir)).toEqual([]);
    writeSilences(join(dir, 'silences.json', 'no-folder'), []);
  });
});

test('every outcome is a sentence in the ledger', () => {
  const labels = {
    alertname: 'memory.level',
    level: 'critical',
    service: 's',
    pod: 'p',
    kind: 'session',
    subject: '',
  } as const;
  const silence = {
    id: 'ab',
    author: 'user:ann',
    comment: '',
    createdAt: 0,
    endsAt: 0,
    matchers: [parseMatcher('kind=x')],
  };
  expect(
    [
      alertEntry({ event: 'suppressed', recipient: 'ops', fingerprint: 'f', labels, by: 'silence' }),
      alertEntry({ event: 'suppressed', recipient: 'ops', fingerprint: 'f', labels, by: 'inhibition' }),
      alertEntry({ event: 'mirror-failed', recipient: 'am', reason: 'it answered 500' }),
      alertEntry({ event: 'silenced', silence, by: 'user:ann' }),
      alertEntry({ event: 'unsilenced', silence, by: 'user:bob' }),
    ].map(({ text }) => text),
  ).toMatchInlineSnapshot(`
    [
      "not sent to ops: critical memory.level session, muted by a silence",
      "not sent to ops: critical memory.level session, muted by a graver alert",
      "could not reach am: it answered 500",
      "silence ab: kind=x, until 1970-01-01T00:00:00.000Z, by user:ann",
      "silence ab was ended by user:bob: kind=x",
    ]
  `);
});

test('a governed process tells a webhook of a session above its budget, and can be silenced through its socket', async () => {
  const file = join(dir, 'plimsoll.yaml');
  const token = join(dir, 'secret');
  writeFileSync(token, secret);
  writeFileSync(
    file,
    `apiVersion: plimsoll/v1
levels:
  warning: { for: 10ms, keep: 100ms }
  critical: { for: 10ms, keep: 100ms }
  emergency: { for: 10ms, keep: 100ms }
signal: { sample: 100ms, fast: 100ms, grace: 10ms }
budgets: { sessions: { "*": { max: 1MiB } } }
alerts:
  service: checkout
  urgent-wait: 50ms
  recipients:
    ops: { kind: webhook, url: "${url}/hook", secret: { file: ${token} }, allow-private: true }
  routes: { emergency: [ ops ] }
`,
  );
  const host = await Host.load({
    dir,
    ledgerDir: join(dir, 'ledger'),
    policyFile: file,
    target: 'node test',
    maxPauseMs: 0,
    isSupervised: false,
  });
  host.start();
  const session = open('session', '42');
  session.charge(2 * 1024 ** 2);
  await vi.waitFor(() => expect(received).toHaveLength(1));
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
    type: 'dev.plimsoll.alert.firing',
    data: {
      level: 'emergency',
      firing: [
        { labels: { kind: 'session', service: 'checkout' }, offenders: [{ scope: 'process/session:42' }] },
      ],
    },
  });
  const socket = liveDescriptors(dir)[0]?.socket ?? '';
  const answer = await ask<SilencesAnswer>(socket, 'silences', {
    add: { matchers: ['kind=session'], forMs: 60_000 },
  });
  expect(answer.silences).toHaveLength(1);
  expect(answer.alerts.map(({ labels }) => labels.level)).toContain('emergency');
  expect((await ask<SilencesAnswer>(socket, 'silences', { remove: answer.id })).silences).toEqual([]);
  await expect(ask(socket, 'silences', { remove: 'none' })).rejects.toMatchObject({
    code: 'PLM_ALERT_BAD_SILENCE',
  });
  await expect(ask(socket, 'silences', { add: {} })).rejects.toMatchObject({
    code: 'PLM_CONTROL_BAD_REQUEST',
  });
  await expect(ask(socket, 'silences', { add: { matchers: ['x'], forMs: 1 } })).rejects.toMatchObject({
    code: 'PLM_ALERT_BAD_SILENCE',
  });
  await session.close();
  await host.stop();
  expect(readFileSync(file, 'utf8')).not.toContain(secret);
});
