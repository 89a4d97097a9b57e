import { expect, test, vi } from 'vitest';
import type { Finding } from '../findings/finding.ts';
import type { SnapshotAnalysis } from './snapshot-analysis.ts';
import type { WatchedTrace } from './watched-trace.ts';
import { SurvivorTraces } from './survivor-traces.ts';
import type { SurvivorTracesOptions } from './survivor-traces.ts';

const capture = { file: '/x', at: 9, stopMs: 1, heapBytes: 1 };

const survivor = (label: string, count = 3): Finding => ({
  id: `F-${label}`,
  kind: 'survivor',
  severity: 'medium',
  scope: 'process/session:1',
  fingerprint: label,
  firstSeen: label.length,
  lastSeen: 2,
  count,
  bytes: 0,
  subject: `"${label}" of the closed session`,
  fix: 'let go.',
});

const row = (label: string): WatchedTrace => ({
  scope: 'process/session:1',
  kind: 'session',
  label,
  retainedBytes: 1000,
  fingerprint: 'f',
  trace: [],
  through: [],
});

const analyzeSnapshots = (...labels: string[]): SnapshotAnalysis => ({
  growth: [],
  suspects: [],
  swollen: [],
  wrappers: [],
  scopes: [],
  sample: [],
  watched: labels.map(row),
  heapBytes: 1,
  ms: 1,
});

function traces(options: Partial<SurvivorTracesOptions> = {}): {
  readonly traced: SurvivorTraces;
  readonly told: Finding[];
  readonly since: number[];
} {
  const told: Finding[] = [];
  const since: number[] = [];
  const traced = new SurvivorTraces({
    snapshotSince: (from) => {
      since.push(from);
      return capture;
    },
    weigh: (finding, bytesEach) => ({ ...finding, bytes: bytesEach * finding.count }),
    onFinding: (finding) => told.push(finding),
    analyze: () => Promise.resolve(analyzeSnapshots('state', 'runs')),
    ...options,
  });
  return { traced, told, since };
}

test('what one look found is told at once, read from one snapshot, and told again with its path', async () => {
  const { traced, told, since } = traces();
  traced.take(survivor('state'));
  traced.take(survivor('runs'));
  traced.take(survivor('lost'));
  expect(told.map(({ trace }) => trace)).toEqual([undefined, undefined, undefined]);
  await vi.waitFor(() => expect(told).toHaveLength(6));
  expect(since).toEqual([5]);
  expect(told.slice(3).map(({ trace, bytes }) => [trace !== undefined, bytes])).toEqual([
    [true, 3000],
    [true, 3000],
    [false, 0],
  ]);
  traced.take(survivor('state', 7));
  expect(told.at(-1)).toMatchObject({ count: 7, bytes: 7000, trace: [] });
  expect(told.at(-1)?.fix).toContain('release "state" of the closed session: ');
});

test('a later look waits for the reading before it, and failures leave the finding as it is', async () => {
  const answers: (() => void)[] = [];
  const { traced, told } = traces({
    analyze: () => new Promise((_, fail) => answers.push(() => fail(new Error('full disk')))),
  });
  traced.take(survivor('state'));
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  traced.take(survivor('runs'));
  await new Promise((next) => setImmediate(next));
  expect(answers).toHaveLength(1);
  answers[0]?.();
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  traced.stop();
  expect(told).toHaveLength(2);
});

test('a snapshot that is refused leaves the finding without a path', async () => {
  const { traced, told } = traces({ snapshotSince: () => undefined });
  traced.take(survivor('state'));
  await vi.waitFor(() => expect(told).toHaveLength(2));
  expect(told.every(({ trace }) => trace === undefined)).toBe(true);
});

test('a snapshot that was refused is asked for again ten seconds later', async () => {
  let isRefused = true;
  let asked = 0;
  const { traced, told } = traces({
    snapshotSince: () => {
      asked++;
      return isRefused ? undefined : capture;
    },
  });
  traced.take(survivor('state'));
  await vi.waitFor(() => expect(told).toHaveLength(2));
  isRefused = false;
  traced.retry(Date.now());
  traced.take(survivor('state', 5));
  expect(asked).toBe(1);
  traced.retry(Date.now() + 60_000);
  await vi.waitFor(() => expect(told.at(-1)?.trace).toBeDefined());
  expect(asked).toBe(2);
  traced.retry(Date.now() + 120_000);
  expect(told.at(-1)).toMatchObject({ count: 5, bytes: 5000 });
  traced.stop();
});
