import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { frameOf } from '../../../../host/src/protocol/frame.fixture.ts';
import { Governed, folder } from '../governed.fixture.ts';
import { Sources } from '../sources.ts';
import { SentEvents, eventsOf, otlpLogs } from './log-events.ts';
import { OtlpExport, logsUrl } from './otlp.ts';
import { resourceAttributes } from './resource.ts';

const scope = 'process/session:42';
const trace = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const story: Partial<Frame> = {
  levels: [
    { at: 1000, scope, from: 'normal', level: 'critical', usedBytes: 80, limitBytes: 100, source: 'budget' },
  ],
  findings: [
    {
      id: 'f',
      kind: 'survivor',
      severity: 'high',
      scope,
      fingerprint: 'abc',
      firstSeen: 500,
      lastSeen: 900,
      count: 1,
      bytes: 1.5,
      fix: 'close it',
    },
  ],
  traces: { [scope]: trace },
};
const governance: Frame['governance'] = {
  ...frameOf().governance,
  actions: (['done', 'running', 'failed'] as const).map((outcome, i) => ({
    id: String(i),
    at: 2000 + i,
    action: 'agent.stop',
    scope,
    level: 'critical',
    mode: 'enforce',
    outcome,
    text: `agent.stop ${outcome}`,
    rule: '',
    freedBytes: i === 0 ? 7 : null,
  })),
};
const frame = frameOf({ ...story, governance });

test('findings, level changes and actions that are over become events, oldest first', () => {
  const events = eventsOf(frame);
  expect(events.map(({ name, severity, at }) => `${at} ${name} ${severity}`)).toEqual([
    '500 plimsoll.finding ERROR',
    '1000 plimsoll.level ERROR',
    '2000 plimsoll.action INFO',
    '2002 plimsoll.action ERROR',
  ]);
  expect(events[2]?.attributes).toMatchObject({ 'plimsoll.action.freed': 7 });
});

test('each event is told once; a finding that becomes graver is told again', () => {
  const sent = new SentEvents();
  sent.note(sent.fresh(frame));
  expect(sent.fresh(frame)).toEqual([]);
  const graver = frameOf({ ...frame, findings: [{ ...frame.findings[0]!, severity: 'critical' }] });
  expect(sent.fresh(graver).map(({ id }) => id)).toEqual(['finding abc critical']);
  const known = sent.fresh(graver)[0]!;
  sent.note(Array.from({ length: 6000 }, (_, i) => ({ ...known, id: String(i) })));
  expect(sent.fresh(frame).length).toBeGreaterThan(0);
});

test('a record has the trace of the request that it is about', () => {
  const body = otlpLogs(frame, eventsOf(frame), { 'service.name': 'shop', 'process.pid': 7 });
  expect(JSON.parse(JSON.stringify(body))).toMatchObject({
    resourceLogs: [
      {
        resource: {
          attributes: [
            { key: 'service.name', value: { stringValue: 'shop' } },
            { key: 'process.pid', value: { intValue: '7' } },
          ],
        },
        scopeLogs: [
          {
            logRecords: [
              {
                timeUnixNano: '500000000',
                severityNumber: 17,
                eventName: 'plimsoll.finding',
                body: { stringValue: 'survivor in process/session:42: close it' },
                ...trace,
              },
              { ...trace },
              { ...trace },
              { ...trace },
            ],
          },
        ],
      },
    ],
  });
  const plain = otlpLogs({}, eventsOf(frame), {});
  expect(JSON.stringify(plain)).not.toContain('traceId');
});

test('attributes of the resource are taken over from the environment', () => {
  const env = {
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=shop, service.version=1.4.2,k8s.pod.name=a%20b,broken,=x,bad=%zz',
  };
  expect(resourceAttributes(frame, env)).toMatchObject({
    'service.name': 'shop',
    'service.version': '1.4.2',
    'k8s.pod.name': 'a b',
    'process.pid': frame.pid,
  });
  expect(resourceAttributes(undefined, { ...env, OTEL_SERVICE_NAME: 'named' })).toMatchObject({
    'service.name': 'named',
  });
  expect(resourceAttributes(frame, env)).not.toHaveProperty('bad');
});

test('a collector gets the events once, and again when it refused them', async () => {
  const app = new Governed(folder(), { ...story, governance });
  await app.start();
  onTestFinished(() => app.stop());
  app.beat();
  const logs: string[] = [];
  let status = 503;
  const server = createServer((request, answer) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (request.url === '/v1/logs') logs.push(text);
      answer.writeHead(request.url === '/v1/logs' ? status : 200).end('{}');
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await vi.waitFor(() => expect(server.listening).toBe(true));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sources = new Sources({ dir: app.dir });
  const exporter = new OtlpExport({ sources, url, intervalMs: 3_600_000 });
  await exporter.send();
  expect(logs).toHaveLength(1);
  status = 200;
  await exporter.send();
  expect(logs).toHaveLength(2);
  expect(logs[1]).toContain('plimsoll.level');
  await exporter.send();
  expect(logs).toHaveLength(2);
  await exporter[Symbol.asyncDispose]();
  await sources[Symbol.asyncDispose]();
  expect(logsUrl('http://c:4318/v1/metrics')).toBe('http://c:4318/v1/logs');
});
