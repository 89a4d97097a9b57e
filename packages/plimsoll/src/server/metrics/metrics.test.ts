import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { frameOf } from '../../../../host/src/protocol/frame.fixture.ts';
import type { ActionRow, Frame } from '@plimsoll/host/protocol/frame';
import { Governed, approvalRow, folder, scopeRow } from '../governed.fixture.ts';
import { serverOver } from '../server.fixture.ts';
import { Sources } from '../sources.ts';
import { talliesOf } from './facts.ts';
import { instruments, prometheusName } from './instruments.ts';
import { OtlpExport, metricsUrl } from './otlp.ts';
import { metricsOfAll, metricsText } from './prometheus.ts';

const MiB = 1024 ** 2;

function action(id: string, changes: Partial<ActionRow> = {}): ActionRow {
  const known = { action: 'cache.drop', level: 'warning', mode: 'enforce', outcome: 'done' } as const;
  return { id, at: 1, scope: 'process', text: '', rule: '', freedBytes: MiB, ...known, ...changes };
}

const busy: Partial<Frame> = {
  level: 'critical',
  kinds: [
    { kind: 'session', open: 2, opened: 1204, bytes: 40 * MiB },
    { kind: 'agent', open: 2, opened: 2, bytes: 30 * MiB },
  ],
  scopes: [
    scopeRow('process/agent:planner', { bytes: 20 * MiB }),
    scopeRow('process/agent:"evil\\\n<b>"', { bytes: 10 * MiB }),
    scopeRow('process/agent:planner/session:secret-42', { bytes: 5 }),
  ],
  findings: [
    {
      id: 'f',
      kind: 'survivor',
      severity: 'high',
      scope: 'process/session:secret-42',
      fingerprint: 'x',
      firstSeen: 1,
      lastSeen: 2,
      count: 1,
      bytes: 3,
      fix: 'let go',
    },
  ],
  gcEffectiveness: 0.75,
  governance: {
    actions: [
      action('1'),
      action('2'),
      action('3', { outcome: 'would-have', mode: 'shadow', freedBytes: null }),
    ],
    approvals: [approvalRow('a'), approvalRow('b', { state: 'denied' })],
    admission: {
      state: 'refusing',
      ratio: 0.5,
      admitted: 10,
      refused: 4,
      points: [
        {
          point: 'session',
          admitted: 10,
          refused: 4,
          held: 0,
          wouldHave: 0,
          reasons: { throttled: 3, no_room: 1 },
        },
      ],
    },
    counts: { actions: 2, cleanups: 2, wouldHave: 1, freedBytes: 2 * MiB, approvals: 2 },
  },
};

interface Family {
  readonly name: string;
  readonly type: string;
  readonly metrics: readonly { readonly value: string; readonly labels?: Record<string, string> }[];
}

/** The package has no types. */
const parse = createRequire(import.meta.url)('parse-prometheus-text-format') as (text: string) => Family[];

function families(text: string): Map<string, Family> {
  return new Map(parse(text).map((family) => [family.name, family]));
}

test('a real parser reads the metrics, by the names of the design', async () => {
  const frame = frameOf({ ...busy, at: 1000 });
  const text = await metricsText({ frame, actions: talliesOf(frame), now: 3500 });
  const found = families(text);
  const value = (name: string, labels?: Record<string, string>): number | undefined => {
    const row = found
      .get(name)
      ?.metrics.find((metric) => JSON.stringify(metric.labels ?? {}) === JSON.stringify(labels ?? {}));
    return row === undefined ? undefined : Number(row.value);
  };
  expect(value('plimsoll_memory_live_bytes')).toBe(70 * MiB);
  expect(value('process_memory_usage_bytes')).toBe(160 * MiB);
  expect(value('plimsoll_pressure_level')).toBe(2);
  expect(value('plimsoll_pressure_ratio', { source: 'v8-old-space' })).toBeCloseTo(0.35);
  expect(value('plimsoll_budget_limit_bytes', { source: 'v8-old-space' })).toBe(200 * MiB);
  expect(value('plimsoll_scope_memory_usage_bytes', { plimsoll_scope_type: 'session' })).toBe(40 * MiB);
  expect(
    value('plimsoll_scope_memory_usage_bytes', {
      plimsoll_scope_type: 'agent',
      gen_ai_agent_name: 'planner',
    }),
  ).toBe(20 * MiB);
  expect(value('plimsoll_actions_total', { action: 'cache.drop', outcome: 'done', mode: 'enforce' })).toBe(2);
  expect(value('plimsoll_action_freed_bytes_total', { action: 'cache.drop' })).toBe(2 * MiB);
  expect(value('plimsoll_sheds_total', { point: 'session', reason: 'throttled' })).toBe(3);
  expect(value('plimsoll_sheds_total', { point: 'session', reason: 'no_room' })).toBe(1);
  expect(value('plimsoll_approvals_pending')).toBe(1);
  expect(value('plimsoll_sensor_age_seconds')).toBe(2.5);
  expect(value('plimsoll_gc_effectiveness_ratio')).toBe(0.75);
  expect(value('plimsoll_findings', { kind: 'survivor', severity: 'high' })).toBe(1);
  expect(found.get('plimsoll_scopes_opened_total')?.type).toBe('COUNTER');
  expect(found.get('plimsoll_memory_live_bytes')?.type).toBe('GAUGE');
  expect(text).not.toContain('secret-42');
});

test('every metric has the name and only the labels that the table of instruments says', async () => {
  const frame = frameOf({
    ...busy,
    delegation: { active: 1, depth: 1, denied: 1, started: 1, blockedRatio: 0 },
  });
  const found = families(await metricsText({ frame, actions: talliesOf(frame), now: frame.at }));
  const table = new Map(instruments.map((each) => [prometheusName(each), each.labels]));
  // The resource is a row of its own.
  for (const [name, { metrics }] of found) {
    if (name === 'target_info') continue;
    const labels = (table.get(name) ?? [`${name} is not in the table`]).map((label) =>
      label.replaceAll('.', '_'),
    );
    for (const metric of metrics)
      expect(labels, name).toEqual(expect.arrayContaining(Object.keys(metric.labels ?? {})));
  }
  expect(found.size).toBeGreaterThan(20);
});

test('what is not known is left out', async () => {
  const { floor: _, ...reading } = frameOf().reading;
  const text = await metricsText({ frame: frameOf({ reading }), actions: [], now: 0 });
  expect(text).not.toContain('plimsoll_memory_live');
  expect(text).not.toContain('plimsoll_gc_effectiveness');
});

test('agents beyond fifty are one row', async () => {
  const scopes = Array.from({ length: 60 }, (_, i) => scopeRow(`process/agent:a${i}`, { bytes: 1 }));
  const text = await metricsText({ frame: frameOf({ scopes }), actions: [], now: 0 });
  expect(text.match(/gen_ai_agent_name="a\d+"/g)?.length).toBe(50);
  expect(text).toMatch(/gen_ai_agent_name="\(other\)"\} 10/);
});

test('the server answers a scrape', async () => {
  const app = new Governed(folder(), busy);
  await app.start();
  onTestFinished(() => app.stop());
  app.beat();
  const { address } = await serverOver({ dir: app.dir });
  const response = await fetch(`${address}metrics`);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(families(await response.text()).size).toBeGreaterThan(20);
});

interface Export {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: object }[] };
    readonly scopeMetrics: readonly {
      readonly metrics: readonly {
        readonly name: string;
        readonly gauge?: { readonly dataPoints: readonly { asInt?: string | number; asDouble?: number }[] };
        readonly sum?: {
          readonly isMonotonic: boolean;
          readonly dataPoints: readonly { asInt?: string | number; asDouble?: number }[];
        };
      }[];
    }[];
  }[];
}

/** A collector: takes what is posted, answers as OTLP/HTTP asks. */
async function collector(): Promise<{
  url: string;
  received: { path: string; type: string; body: Export }[];
}> {
  const received: { path: string; type: string; body: Export }[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const type = request.headers['content-type'] ?? '';
      received.push({ path: request.url ?? '', type, body: JSON.parse(text) as Export });
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

test('a collector receives the same metrics over OTLP', async () => {
  const app = new Governed(folder(), busy);
  await app.start();
  onTestFinished(() => app.stop());
  app.beat();
  const { url, received } = await collector();
  const sources = new Sources({ dir: app.dir });
  const exporter = new OtlpExport({ sources, url, intervalMs: 100 });
  await vi.waitFor(() => expect(received.length).toBeGreaterThan(1));
  await exporter[Symbol.asyncDispose]();
  await sources[Symbol.asyncDispose]();
  const { path, type, body } = received[0] as (typeof received)[0];
  expect(path).toBe('/v1/metrics');
  expect(type).toBe('application/json');
  const [resource] = body.resourceMetrics;
  expect(resource?.resource.attributes).toContainEqual({
    key: 'service.name',
    value: { stringValue: 'node server.js' },
  });
  const metrics = new Map(resource?.scopeMetrics[0]?.metrics.map((metric) => [metric.name, metric]));
  const live = metrics.get('plimsoll.memory.live')?.gauge?.dataPoints[0];
  expect(Number(live?.asDouble ?? live?.asInt)).toBe(70 * MiB);
  expect(metrics.get('plimsoll.actions')?.sum?.isMonotonic).toBe(true);
});

test('without a process or a collector nothing is sent and nothing fails', async () => {
  const { url, received } = await collector();
  const sources = new Sources({ dir: folder() });
  const exporter = new OtlpExport({ sources, url });
  await exporter.send();
  expect(received).toEqual([]);
  await exporter[Symbol.asyncDispose]();
  await sources[Symbol.asyncDispose]();
});

test('the address of a collector is its base or its metrics path', () => {
  expect(metricsUrl('http://c:4318')).toBe('http://c:4318/v1/metrics');
  expect(metricsUrl('http://c:4318/otlp/')).toBe('http://c:4318/otlp/v1/metrics');
  expect(metricsUrl('http://c:4318/v1/metrics')).toBe('http://c:4318/v1/metrics');
});

test('a name with an escape sequence cannot move the cursor of whoever reads the metrics', async () => {
  const text = await metricsText({ frame: frameOf({ target: 'node \u001b[2Jx.js' }), actions: [], now: 0 });
  expect(text).toContain('node ·[2Jx.js');
  expect(text).not.toContain('\u001b');
});

test('several processes are in one text, each row with its process', async () => {
  const facts = [
    { frame: frameOf({ ...busy, pid: 11, at: 1000 }), actions: [], now: 3500 },
    { frame: frameOf({ ...busy, pid: 12, at: 3000 }), actions: [], now: 3500 },
  ];
  const text = await metricsOfAll(facts);
  expect(text.match(/^# TYPE plimsoll_sensor_age_seconds /gm)).toHaveLength(1);
  expect(families(text).get('plimsoll_sensor_age_seconds')?.metrics).toMatchObject([
    { labels: { process_pid: '11' }, value: '2.5' },
    { labels: { process_pid: '12' }, value: '0.5' },
  ]);
});
