import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { minute, recipientRule } from '../alert.fixture.ts';
import type { Alert, Notice } from '../alert.ts';
import { cloudEventOf } from '../cloud-event.ts';
import { alertClock } from '../alert.ts';
import { sendAnchor } from './anchor-webhook.ts';
import { AlertmanagerSink } from './alertmanager-sink.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import { LogSink, useAlertLogger } from './log-sink.ts';
import { DeliveryError } from './sink.ts';
import { SlackSink } from './slack-sink.ts';
import { webhookHeaders, webhookKeys } from './webhook-sink.ts';
import type { Received } from './web-server.fixture.ts';
import { WebServer } from './web-server.fixture.ts';
import { certificate } from './tls.fixture.ts';
import { WebhookSink } from './webhook-sink.ts';

const at = Date.UTC(2026, 0, 1);
const clock = { now: () => at };
const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const older = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;
const env = { OPS: secret, BOTH: `${secret} ${older}`, SHORT: 'whsec_c2hvcnQ=', EMPTY: ' ' };

const alert: Alert = {
  fingerprint: 'ab12',
  labels: {
    alertname: 'memory.level',
    level: 'critical',
    service: 'checkout',
    pod: 'pod-1',
    kind: 'session',
    subject: '',
  },
  status: 'firing',
  startsAt: at,
  endsAt: null,
  summary: '3 scopes of kind session are at critical or above.',
  offenders: [
    { scope: 'process/session:<!channel>', level: 'critical', usedBytes: 2 ** 26, limitBytes: 2 ** 25 },
    { scope: 'process/session:*2*', level: 'critical', usedBytes: 2 ** 25, limitBytes: 2 ** 25 },
  ],
  offenderCount: 3,
  actions: [],
  fix: 'close them.',
};
const notice: Notice = {
  id: '0b1c2d3e-0000-4000-8000-000000000001',
  recipient: 'ops',
  group: { service: 'checkout', level: 'critical' },
  level: 'critical',
  at,
  firing: [alert],
  resolved: [],
  stillFiring: 0,
};

/** The check a receiver makes, written from the text of the Standard Webhooks specification. */
function isSigned({ headers, body }: Received, key: string): boolean {
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'))
    .update(content)
    .digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .some((each) => {
      const [version, signature] = each.split(',');
      const given = Buffer.from(signature ?? '', 'base64');
      return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
    });
}

let server: WebServer;
beforeEach(async () => {
  server = await WebServer.start();
});
afterEach(() => server.close());

const signal = (): AbortSignal => AbortSignal.timeout(2000);
const webhook = (more: object = {}): WebhookSink =>
  new WebhookSink(
    recipientRule('ops', { url: `${server.url}/hook`, secret: { env: 'OPS' }, allowPrivate: true, ...more }),
    clock,
    { env },
  );
async function failureOf(delivered: Promise<void>): Promise<DeliveryError> {
  const error: unknown = await delivered.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DeliveryError);
  return error as DeliveryError;
}

describe('a signed webhook', () => {
  test('the signature is that of the test vector of the specification', () => {
    const keys = webhookKeys('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') ?? [];
    expect(
      webhookHeaders(keys, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330_000, '{"test": 2432232314}'),
    ).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test('carries the head of an audit chain as well', async () => {
    const rule = recipientRule('audit', {
      url: `${server.url}/anchors`,
      secret: { env: 'OPS' },
      allowPrivate: true,
    });
    const head = { at, dir: '/srv/app/.plimsoll/ledger', seq: 118, hash: 'ab12' };
    await sendAnchor(head, rule, 'checkout', { env });
    const [got] = server.received as [Received];
    expect(isSigned(got, secret)).toBe(true);
    expect(JSON.parse(got.body)).toMatchObject({
      type: 'dev.plimsoll.ledger.anchor',
      subject: 'seq=118',
      data: head,
    });
    server.answer = (response) => response.writeHead(500).end();
    await expect(sendAnchor(head, rule, 'checkout', { env })).rejects.toBeInstanceOf(DeliveryError);
  });

  test('arrives as a CloudEvent that a receiver can verify', async () => {
    await webhook().deliver(notice, signal());
    const [got] = server.received as [Received];
    expect(got.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
    expect(isSigned(got, secret)).toBe(true);
    expect(isSigned({ ...got, body: `${got.body} ` }, secret)).toBe(false);
    expect(isSigned(got, older)).toBe(false);
    expect(JSON.parse(got.body)).toMatchObject({
      specversion: '1.0',
      id: notice.id,
      source: '/plimsoll/checkout/pod-1',
      type: 'dev.plimsoll.alert.firing',
      subject: 'service=checkout,level=critical',
      time: '2026-01-01T00:00:00.000Z',
      datacontenttype: 'application/json',
      data: {
        level: 'critical',
        leftOff: 0,
        firing: [{ fingerprint: 'ab12', startsAt: '2026-01-01T00:00:00.000Z' }],
      },
    });
    expect(got.body).not.toContain(secret.slice(6));
  });

  test('while a secret is rotated every one of them signs, and a file is read anew', async () => {
    await webhook({ secret: { env: 'BOTH' } }).deliver(notice, signal());
    expect([secret, older].map((key) => isSigned(server.received[0] as Received, key))).toEqual([true, true]);
    const file = join(mkdtempSync(join(tmpdir(), 'plimsoll-')), 'secret');
    writeFileSync(file, secret);
    const sink = webhook({ secret: { file } });
    await sink.deliver(notice, signal());
    writeFileSync(file, `${older}\n`);
    await sink.deliver(notice, signal());
    expect(server.received.slice(1).map((got) => [secret, older].map((key) => isSigned(got, key)))).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  test.each([
    [{ secret: { env: 'NO_SUCH' } }, 'the secret of recipient "ops" cannot be used: it is not set'],
    [{ secret: { env: 'EMPTY' } }, 'the secret of recipient "ops" cannot be used: it is empty'],
    [{ secret: { file: '/no/such/file' } }, 'the secret of recipient "ops" cannot be used: ENOENT'],
    [
      { secret: { env: 'SHORT' } },
      'the secret of recipient "ops" cannot be used: a secret is "whsec_" and the base64 of 24 to 64 bytes',
    ],
    [{ url: { env: 'EMPTY' } }, 'the secret of recipient "ops" cannot be used: it is empty'],
    [{ url: { env: 'SHORT' } }, 'its address is not one that begins with https:// or http://'],
  ])('%j is said and not sent', async (more, message) => {
    const error = await failureOf(webhook(more).deliver(notice, signal()));
    expect([error.final, error.message]).toEqual([true, message]);
    expect(server.received).toEqual([]);
  });

  test('the body stays below 20 kB, and what was left off is counted', () => {
    const many = Array.from({ length: 50 }, (_, i) => ({ ...alert, summary: `${i} ${'x'.repeat(480)}` }));
    const event = cloudEventOf({ ...notice, firing: many, resolved: many });
    expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(20_000);
    expect(event.data.firing.length + event.data.resolved.length + event.data.leftOff).toBe(100);
    expect(
      cloudEventOf({ ...notice, firing: [], resolved: [{ ...alert, status: 'resolved', endsAt: at }] }).type,
    ).toBe('dev.plimsoll.alert.resolved');
    expect(cloudEventOf({ ...notice, firing: many }, 100).data.leftOff).toBe(50);
  });
});

describe('what a server can do to it', () => {
  test('statuses other than success fail; 410 and redirects are final, Retry-After is heeded', async () => {
    const outcome = async (status: number, headers: Record<string, string> = {}) => {
      server.answer = (response) => response.writeHead(status, headers).end();
      const { final, gone, retryAfterMs, message } = await failureOf(webhook().deliver(notice, signal()));
      return { final, gone, retryAfterMs, message: message.replace(/:\d+/, '') };
    };
    expect(await outcome(500)).toEqual({
      final: false,
      gone: false,
      retryAfterMs: 0,
      message: '127.0.0.1 answered 500',
    });
    expect(await outcome(429, { 'retry-after': '7' })).toMatchObject({ final: false, retryAfterMs: 7000 });
    expect(await outcome(410)).toMatchObject({ final: true, gone: true });
    const target = await WebServer.start();
    expect(await outcome(307, { location: target.url })).toEqual({
      final: true,
      gone: false,
      retryAfterMs: 0,
      message: '127.0.0.1 answered 307, a redirect, which is refused',
    });
    expect(target.connections).toBe(0);
    target.close();
  });

  test('a body without end is not read', async () => {
    let written = 0;
    let isCut = false;
    server.answer = (response) => {
      response.writeHead(200, { 'content-length': String(2 ** 30) });
      response.on('close', () => (isCut = true));
      const chunk = Buffer.alloc(65_536);
      const pump = (): void => {
        while (!response.destroyed && written < 2 ** 30) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', pump);
        }
      };
      pump();
    };
    await webhook().deliver(notice, signal());
    await expect.poll(() => isCut).toBe(true);
    expect(written).toBeLessThan(64 * 2 ** 20);
  });

  test('a server that never answers, answers half, or is not there', async () => {
    server.answer = () => undefined;
    const late = AbortSignal.timeout(50);
    await expect(webhook().deliver(notice, late)).rejects.toThrow('timeout');
    server.answer = (response) => response.socket?.destroy();
    expect((await failureOf(webhook().deliver(notice, signal()))).message).toBe('socket hang up');
    const { url } = server;
    server.close();
    const dead = await failureOf(webhook({ url }).deliver(notice, signal()));
    expect([dead.final, dead.message.replace(/:\d+/, '')]).toEqual([false, 'connect ECONNREFUSED 127.0.0.1']);
    await expect(webhook().deliver(notice, AbortSignal.abort(new Error('ended before')))).rejects.toThrow(
      'ended before',
    );
  });

  test('private addresses are refused before a connection is made, written out or by name', async () => {
    const { port } = new URL(server.url);
    for (const host of [
      '127.0.0.1',
      'localhost',
      '2130706433',
      '0x7f.1',
      '[::ffff:127.0.0.1]',
      '[::1]',
      '169.254.169.254',
    ]) {
      const error = await failureOf(
        webhook({ url: `http://${host}:${port}/hook`, allowPrivate: false }).deliver(notice, signal()),
      );
      expect(error.message).toContain('is the private address');
      expect(error.final).toBe(true);
    }
    expect(server.connections).toBe(0);
  });
});

test('over TLS a certificate has to be trusted, also on an address that is allowed', async () => {
  const tls = await WebServer.start(true);
  const rule = recipientRule('ops', { url: `${tls.url}/hook`, secret: { env: 'OPS' }, allowPrivate: true });
  const refused = await failureOf(new WebhookSink(rule, clock, { env }).deliver(notice, signal()));
  expect([refused.final, refused.message.split(';')[0]]).toEqual([false, 'self-signed certificate']);
  expect(tls.received).toEqual([]);
  await new WebhookSink(rule, clock, { env, ca: certificate }).deliver(notice, signal());
  expect(tls.received).toHaveLength(1);
  tls.close();
});

test('a storm of errors is bounded: what waits, what is tried and what is lost', async () => {
  server.answer = (response) => response.writeHead(500).end();
  const lost: string[] = [];
  const queue = new DeliveryQueue(webhook(), {
    clock: alertClock,
    timeoutMs: 2000,
    attempts: 1,
    onSettled: (_notice, { reason }) => lost.push(String(reason).replace(/:\d+/, '')),
  });
  for (let i = 0; i < 500; i++) queue.push({ ...notice, id: String(i) });
  expect(queue.counts.waiting).toBe(65);
  await queue.drained(10_000);
  expect(queue.counts).toMatchObject({ sent: 0, lost: 500, waiting: 0 });
  expect(server.received).toHaveLength(65);
  expect(new Set(lost)).toEqual(new Set(['too many notices wait', '127.0.0.1 answered 500']));
});

describe('other forms', () => {
  test('Slack gets text that cannot mention or format, and its address stays out of errors', async () => {
    const options = { env: { SLACK: `${server.url}/services/T0/B0/s3cret` } };
    const sink = new SlackSink(
      recipientRule('chat', { kind: 'slack', url: { env: 'SLACK' }, allowPrivate: true }),
      options,
    );
    await sink.deliver(notice, signal());
    const [got] = server.received as [Received];
    expect(got.path).toBe('/services/T0/B0/s3cret');
    expect(JSON.parse(got.body)).toMatchInlineSnapshot(`
      {
        "blocks": [
          {
            "text": {
              "emoji": false,
              "text": "CRITICAL: 1 alert of checkout on pod-1 fires",
              "type": "plain_text",
            },
            "type": "header",
          },
          {
            "text": {
              "emoji": false,
              "text": "critical memory.level (session): 3 scopes of kind session are at critical or above.
        process/session:<!channel> 64.0 MiB of 32.0 MiB (200 %)
        process/session:*2* 32.0 MiB of 32.0 MiB (100 %)
        and 1 more
        fix: close them.",
              "type": "plain_text",
            },
            "type": "section",
          },
        ],
        "text": "CRITICAL: 1 alert of checkout on pod-1 fires
      critical memory.level (session): 3 scopes of kind session are at critical or above.
        process/session:&lt;!channel&gt; 64.0 MiB of 32.0 MiB (200 %)
        process/session: 2  32.0 MiB of 32.0 MiB (100 %)
        and 1 more
        fix: close them.",
      }
    `);
    const long = Array.from({ length: 30 }, () => alert);
    await sink.deliver({ ...notice, firing: long }, signal());
    const { text } = JSON.parse(server.received[1]?.body ?? '') as { text: string };
    expect(text.length).toBeLessThan(3000);
    server.answer = (response) => response.writeHead(404).end();
    expect((await failureOf(sink.deliver(notice, signal()))).message).not.toContain('s3cret');
  });

  test('Alertmanager gets what fires with an end in the future, and ends with theirs', async () => {
    const rule = recipientRule('prometheus', {
      kind: 'alertmanager',
      url: `${server.url}/am/`,
      token: { env: 'OPS' },
      allowPrivate: true,
    });
    const sink = new AlertmanagerSink(rule, clock, { env });
    await sink.mirror(
      [alert, { ...alert, status: 'resolved', endsAt: at + minute, offenders: [], offenderCount: 0 }],
      signal(),
    );
    const [got] = server.received as [Received];
    expect([got.path, got.headers.authorization]).toEqual(['/am/api/v2/alerts', `Bearer ${secret}`]);
    expect(JSON.parse(got.body)).toMatchInlineSnapshot(`
      [
        {
          "annotations": {
            "fix": "close them.",
            "offender_count": "3",
            "offenders": "process/session:<!channel> 64.0 MiB of 32.0 MiB (200 %); process/session:*2* 32.0 MiB of 32.0 MiB (100 %)",
            "summary": "3 scopes of kind session are at critical or above.",
          },
          "endsAt": "2026-01-01T00:04:00.000Z",
          "labels": {
            "alertname": "memory.level",
            "kind": "session",
            "level": "critical",
            "pod": "pod-1",
            "service": "checkout",
            "severity": "critical",
          },
          "startsAt": "2026-01-01T00:00:00.000Z",
        },
        {
          "annotations": {
            "fix": "close them.",
            "summary": "3 scopes of kind session are at critical or above.",
          },
          "endsAt": "2026-01-01T00:01:00.000Z",
          "labels": {
            "alertname": "memory.level",
            "kind": "session",
            "level": "critical",
            "pod": "pod-1",
            "service": "checkout",
            "severity": "critical",
          },
          "startsAt": "2026-01-01T00:00:00.000Z",
        },
      ]
    `);
    const { token: _, ...open } = rule;
    await new AlertmanagerSink({ ...open, url: server.url }, clock).mirror([alert], signal());
    expect([server.received[1]?.path, server.received[1]?.headers.authorization]).toEqual([
      '/api/v2/alerts',
      undefined,
    ]);
  });

  test('the log goes to the channel, and to the logger that was passed', async () => {
    const lines: string[] = [];
    const published: unknown[] = [];
    const listener = (message: unknown): void => void published.push(message);
    const log = (level: string) => (message: string) => void lines.push(`${level} ${message.split('\n')[0]}`);
    subscribe('plimsoll:alert', listener);
    const logger = { info: log('info'), warn: log('warn'), error: log('error') };
    const sink = new LogSink();
    await sink.deliver(notice);
    expect(lines).toEqual([]);
    useAlertLogger(logger);
    await sink.deliver(notice);
    await sink.deliver({ ...notice, level: 'warning' });
    await sink.deliver({ ...notice, firing: [], resolved: [alert] });
    useAlertLogger();
    await new LogSink('log', logger).deliver(notice);
    unsubscribe('plimsoll:alert', listener);
    expect(published).toHaveLength(5);
    expect(lines).toEqual([
      'error CRITICAL: 1 alert of checkout on pod-1 fires',
      'warn WARNING: 1 alert of checkout on pod-1 fires',
      'info resolved: 1 alert of checkout on pod-1',
      'error CRITICAL: 1 alert of checkout on pod-1 fires',
    ]);
  });
});
