import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { troubleChannelName, type Trouble } from '@plimsoll/govern/internal/health/trouble';
import type { ContinuedIncident } from '@plimsoll/govern/internal/incident/incident';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { expect, onTestFinished, test, vi } from 'vitest';
import { IncidentsPart } from './incidents.ts';

const calm: ReturnType<ConstructorParameters<typeof IncidentsPart>[0]['facts']> = {
  level: 'normal',
  mode: 'enforce',
  findings: [],
  forecast: null,
  admission: { state: 'open', refused: 0 },
  waiting: [],
  restart: undefined,
};

test('an incident is written down, alerts once per level and ends with the process', async () => {
  const alerts: string[] = [];
  const hear = (message: unknown): void => {
    const { name, level, summary } = message as Trouble;
    if (name === 'memory.incident') alerts.push(`${level} ${summary === null ? 'ends' : 'fires'}`);
  };
  subscribe(troubleChannelName, hear);
  const entries: Readonly<Record<string, string | number>>[] = [];
  let level: 'normal' | 'warning' | 'critical' = 'normal';
  const part = new IncidentsPart({
    facts: () => ({
      ...calm,
      level,
    }),
    isRestart: () => true,
    note: (body) => entries.push(body),
  });
  part.start();
  onTestFinished(() => {
    part.stop();
    unsubscribe(troubleChannelName, hear);
  });
  const reading = { at: 1000, used: 80, limit: 100 } as Reading;
  part.take(reading);
  expect(part.newest).toBeNull();
  level = 'warning';
  part.take(reading);
  await vi.waitFor(() => expect(part.newest).not.toBeNull());
  part.take(reading);
  channel('plimsoll:action').publish({
    action: 'cache.drop',
    outcome: 'done',
    at: 1000,
    freedBytes: 5,
    text: 'dropped.',
  });
  level = 'critical';
  part.take(reading);
  part.exit();
  expect(entries.map(({ event, level: at, outcome }) => `${event} ${at} ${outcome ?? ''}`)).toEqual([
    'opened warning ',
    'changed critical ',
    'ended critical restarted',
  ]);
  // The next life goes on with the alert.
  expect(alerts).toEqual(['warning fires', 'critical fires', 'warning ends']);
  expect(part.newest).toMatchObject({ outcome: 'restarted', freedBytes: 5 });
});

test('the next life goes on with the incident and its alert, and ends both once it is calm', async () => {
  const alerts: string[] = [];
  const hear = (message: unknown): void => {
    const { name, level, subject, summary } = message as Trouble;
    if (name === 'memory.incident') alerts.push(`${subject} ${level} ${summary ?? 'ends'}`);
  };
  subscribe(troubleChannelName, hear);
  const entries: Readonly<Record<string, string | number>>[] = [];
  const before = vi.fn<() => ContinuedIncident | null>(() => null);
  const part = new IncidentsPart({
    facts: () => calm,
    before,
    isRestart: () => false,
    note: (body) => entries.push(body),
  });
  part.start();
  onTestFinished(() => {
    part.stop();
    unsubscribe(troubleChannelName, hear);
    vi.restoreAllMocks();
  });
  const reading = { at: 5000, used: 20, limit: 100 } as Reading;
  // The life before has not begun to end yet.
  part.take(reading);
  expect(part.newest).toBeNull();
  before.mockReturnValue({
    id: 'I-1',
    revision: 7,
    level: 'emergency',
    openedAt: 1000,
    refused: 3,
    freedBytes: 4,
    peakUsedBytes: 99,
    restarts: 2,
  });
  part.take(reading);
  await vi.waitFor(() => expect(part.newest).not.toBeNull());
  expect(part.newest).toMatchObject({
    id: 'I-1',
    openedAt: 1000,
    level: 'emergency',
    refused: 3,
    freedBytes: 4,
    peakUsedBytes: 99,
    outcome: null,
    headline: expect.stringContaining('restarted 2 times so far') as string,
    events: [{ kind: 'restart', text: 'the next life goes on, restart 2 since the first sign' }],
  });
  expect(part.continued).toMatchObject({ id: 'I-1', restarts: 3 });
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now + 61_000);
  part.take(reading);
  expect(part.newest).toMatchObject({ id: 'I-1', outcome: 'relieved' });
  expect(part.continued).toBeUndefined();
  expect(entries.map(({ id, event }) => `${id} ${event}`)).toEqual(['I-1 changed', 'I-1 ended']);
  expect(alerts).toEqual([expect.stringMatching(/^I-1 emergency The process uses/), 'I-1 emergency ends']);
});
