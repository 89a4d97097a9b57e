/** What a recipient of the kind `alertmanager` is told, on a real Alertmanager where the machine has one. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { recipientRule } from '@plimsoll/govern/internal/alert/alert.fixture';
import type { Alert } from '@plimsoll/govern/internal/alert/alert';
import { AlertmanagerSink } from '@plimsoll/govern/internal/alert/sinks/alertmanager-sink';
import { WebServer } from '@plimsoll/govern/internal/alert/sinks/web-server.fixture';
import { endGroup, startGroup } from '../process-group.ts';

/** The command of a server: PLIMSOLL_ALERTMANAGER, or what is on the PATH; Debian's package has the longer name. */
function findAlertmanager(given = process.env['PLIMSOLL_ALERTMANAGER']): string | undefined {
  const names = given === undefined ? ['alertmanager', 'prometheus-alertmanager'] : [given];
  return names.find((name) => spawnSync(name, ['--version']).status === 0);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

const alertOf = (pod: string, more: Partial<Alert> = {}): Alert => ({
  fingerprint: pod,
  labels: {
    alertname: 'memory.level',
    level: 'critical',
    service: 'checkout',
    pod,
    kind: 'session',
    subject: '',
  },
  status: 'firing',
  startsAt: Date.now() - 1000,
  endsAt: null,
  summary: '3 scopes of kind session are at critical or above.',
  offenders: [],
  offenderCount: 3,
  actions: [],
  fix: 'close them.',
  ...more,
});

test('a command that does not run is none', () => {
  expect(findAlertmanager('/nowhere/alertmanager')).toBeUndefined();
});

const command = findAlertmanager();

describe.each(command === undefined ? [] : [command])('%s', (server) => {
  test('alerts of two pods become one notice, and end', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'plimsoll-alertmanager-'));
    const receiver = await WebServer.start();
    const [port, config] = [await freePort(), join(dir, 'alertmanager.yml')];
    writeFileSync(
      config,
      `route: { receiver: ops, group_by: [alertname, service], group_wait: 1s, group_interval: 1s, repeat_interval: 1h }
receivers: [{ name: ops, webhook_configs: [{ url: "${receiver.url}/hook", send_resolved: true }] }]
`,
    );
    const flags = [
      `--config.file=${config}`,
      `--storage.path=${dir}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const child = startGroup(server, [...flags, '--cluster.listen-address='], { stdio: 'ignore' });
    onTestFinished(() => {
      endGroup(child);
      receiver.close();
      rmSync(dir, { recursive: true, force: true });
    });
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(async () => expect((await fetch(`${url}/-/ready`)).status).toBe(200));
    const rule = recipientRule('prometheus', { kind: 'alertmanager', url, allowPrivate: true });
    const sink = new AlertmanagerSink(rule, { now: Date.now });
    const mirror = (alerts: readonly Alert[]): Promise<void> =>
      sink.mirror(alerts, AbortSignal.timeout(10_000));
    await mirror([alertOf('pod-1'), alertOf('pod-2')]);
    const active = (await (await fetch(`${url}/api/v2/alerts`)).json()) as {
      labels: object;
      annotations: object;
    }[];
    expect(active).toHaveLength(2);
    expect(active[0]).toMatchObject({
      labels: { alertname: 'memory.level', severity: 'critical', service: 'checkout' },
      annotations: { fix: 'close them.' },
    });
    const notices = (): { status: string; alerts: unknown[] }[] =>
      receiver.received.map(({ body }) => JSON.parse(body) as { status: string; alerts: unknown[] });
    await vi.waitFor(() => expect(notices().at(-1)?.alerts).toHaveLength(2));
    const endsAt = Date.now();
    await mirror(['pod-1', 'pod-2'].map((pod) => alertOf(pod, { status: 'resolved', endsAt })));
    await vi.waitFor(() => expect(notices().at(-1)?.status).toBe('resolved'));
  });
});
