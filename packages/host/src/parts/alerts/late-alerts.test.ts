import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { channel } from 'node:diagnostics_channel';
import { afterEach, expect, test, vi } from 'vitest';
import { useAlertLogger } from '@plimsoll/govern/internal/alert/sinks/log-sink';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import type { LevelChange } from '@plimsoll/govern/internal/level/level-change';
import { parsePolicy } from '@plimsoll/govern/internal/policy/parse';
import type { HostAlertsParts } from './alerts.ts';
import { LateAlerts } from './late-alerts.ts';

let late: LateAlerts | undefined;

afterEach(() => {
  late?.stop();
  late = undefined;
  useAlertLogger();
  vi.useRealTimers();
});

function start(more: Partial<HostAlertsParts> = {}): string[] {
  const notes: string[] = [];
  late = new LateAlerts({
    policy: builtInPolicy,
    dir: mkdtempSync(join(tmpdir(), 'plimsoll-late-')),
    target: 'node server.js',
    history: { note: (_kind, body) => notes.push(String(body['text'])) },
    governor: { policy: builtInPolicy, stale: false },
    desk: () => Promise.reject(new Error('nobody asks')),
    ...more,
  });
  late.start();
  return notes;
}

const emergency: LevelChange = {
  at: Date.now(),
  scope: 'process',
  level: 'emergency',
  from: 'normal',
  mode: 'observe',
  policy: { revision: 0, sha256: '' },
  ratio: 0.99,
  usedBytes: 99,
  limitBytes: 100,
  source: 'heap',
  rule: 'limits.heap',
};
const level = channel('plimsoll:level');

test('the news that the alerts are loaded for is told, and all that comes after it', async () => {
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  useAlertLogger({ info: log, warn: log, error: log });
  start();
  expect(level.hasSubscribers).toBe(true);
  level.publish(emergency);
  level.publish({ ...emergency, scope: 'process/session:7' });
  const { router } = (await late?.load()) ?? {};
  const gravest = (): string[] =>
    (router?.alerts() ?? [])
      .filter(({ labels }) => labels.level === 'emergency')
      .map(({ labels }) => labels.kind);
  expect(gravest()).toEqual(['process', 'session']);
  level.publish({ ...emergency, scope: 'process/session:7', from: 'emergency', level: 'normal' });
  expect(gravest()).toEqual(['process']);
  await vi.waitFor(() => expect(lines.join('\n')).toContain('EMERGENCY'));
});

test('a policy that declares alerts loads them at once, also when it comes later', async () => {
  const declared = parsePolicy('apiVersion: plimsoll/v1\nalerts: { service: checkout }\n', 'plimsoll.yaml');
  const load = vi.spyOn(LateAlerts.prototype, 'load');
  start();
  expect(load).not.toHaveBeenCalled();
  late?.swap(builtInPolicy);
  expect(load).not.toHaveBeenCalled();
  late?.swap(declared);
  expect(load).toHaveBeenCalledTimes(1);
  const alerts = await late?.load();
  alerts?.router.raise({ name: 'memory.rollback', level: 'emergency', summary: 'x' });
  expect(alerts?.router.alerts()[0]?.labels.service).toBe('checkout');
  late?.swap(builtInPolicy);
  late?.stop();
  load.mockClear();
  start({ policy: declared });
  expect(load).toHaveBeenCalledTimes(1);
  await late?.load();
  load.mockRestore();
});

test('a life that ended for memory is told of, one that ended well is not', async () => {
  const load = vi.spyOn(LateAlerts.prototype, 'load');
  start();
  late?.resumed(undefined);
  expect(load).not.toHaveBeenCalled();
  late?.resumed({
    phase: 'parked',
    reason: 'r',
    parked: 3,
    lost: 1,
    interrupted: 0,
    text: 'told',
    at: 1,
  } as never);
  const alerts = await late?.load();
  await vi.waitFor(() => expect(alerts?.router.alerts()[0]?.summary).toContain('told'));
  load.mockRestore();
});

test('readings that stop are looked for before anything is loaded', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const load = vi.spyOn(LateAlerts.prototype, 'load');
  let stale = false;
  const governor = {
    policy: builtInPolicy,
    get stale() {
      return stale;
    },
  };
  start({ governor });
  vi.advanceTimersByTime(60_000);
  expect(load).not.toHaveBeenCalled();
  stale = true;
  vi.advanceTimersByTime(15_000);
  expect(load).toHaveBeenCalled();
  await late?.load();
  load.mockRestore();
});

test('closed before they are loaded, nothing listens any more', async () => {
  start();
  const loading = late?.load();
  late?.stop();
  await loading;
  expect(level.hasSubscribers).toBe(false);
});

test('what cannot be made is said once and listened for no longer', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  start({ policy: { ...builtInPolicy, alerts: { ...builtInPolicy.alerts, recipients: null as never } } });
  level.publish(emergency);
  await expect(late?.load()).rejects.toThrow();
  level.publish(emergency);
  late?.resumed({ text: 'x' } as never);
  await expect(late?.load()).rejects.toThrow();
  expect(warned.mock.calls.map(([text]) => String(text).slice(0, 36))).toEqual([
    'Plimsoll could not load its alerts: ',
  ]);
  expect(level.hasSubscribers).toBe(false);
  warned.mockRestore();
});
