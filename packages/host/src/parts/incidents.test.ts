import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { troubleChannelName, type Trouble } from '@plimsoll/govern/internal/health/trouble';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { expect, onTestFinished, test, vi } from 'vitest';
import { IncidentsPart } from './incidents.ts';

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
      level,
      mode: 'enforce',
      findings: [],
      forecast: null,
      admission: { state: 'open', refused: 0 },
      waiting: [],
      restart: undefined,
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
  expect(alerts).toEqual(['warning fires', 'critical fires', 'warning ends', 'critical ends']);
  expect(part.newest).toMatchObject({ outcome: 'restarted', freedBytes: 5 });
});
