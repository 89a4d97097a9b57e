import { frameOf } from '../../../host/src/protocol/frame.fixture.ts';
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import { composeReport } from '../run/report.ts';
import type { Report } from '../run/report.ts';
import { SeriesRecorder } from '../run/series.ts';
import type { StressSection } from './stress-section.ts';

const MiB = 1024 ** 2;
const startedAt = Date.UTC(2026, 6, 1, 10);
const endedAt = startedAt + 600_000;

/** A survivor with a path, as a snapshot shows it. */
export const survivor: Finding = {
  id: 'F-d391b9',
  kind: 'survivor',
  severity: 'high',
  scope: 'process/agent:support/session:42',
  fingerprint: 'c5f883fc46a3cc66',
  firstSeen: startedAt,
  lastSeen: endedAt,
  count: 501,
  bytes: 157 * MiB,
  rate: 940 * MiB,
  subject: '"state" of the closed session',
  trace: [
    { type: 'root', name: 'global', via: '', leaking: 'no', why: 'the global object' },
    {
      type: 'object',
      name: 'AgentService',
      via: 'service',
      leaking: 'no',
      why: 'lives as long as the process',
    },
    { type: 'object', name: 'SessionStore', via: 'sessions', leaking: 'maybe', why: '' },
    { type: 'object', name: 'Map', via: 'sessions', leaking: 'maybe', why: '', retainedBytes: 157 * MiB },
    { type: 'object', name: 'Session', via: 'get(<serial:7>)', leaking: 'yes', why: 'its closed is true' },
  ],
  fix: 'remove entries from SessionStore.sessions when their work ends.',
};

/** The section of a stress run with one of each fault. */
export const stressSection: StressSection = {
  verdict: 'FAIL',
  reasons: ['baseline: the live heap grew by 2.1 KiB per call.', 'hypothesis h1 is rejected.'],
  seed: 7,
  limitBytes: 128 * MiB,
  plans: [
    {
      plan: 'baseline',
      startedAt,
      ms: 300_000,
      sessions: 400,
      calls: 2000,
      errors: 0,
      p50Ms: 12,
      p99Ms: 80,
      startBytes: 20 * MiB,
      endBytes: 24 * MiB,
      peakBytes: 120 * MiB,
      bytesPerCall: 2150,
      bytesPerSession: 10_750,
      reclaimedRatio: 0.4,
      verdict: 'leak',
      why: 'the live heap grew by 4.0 MiB and did not slow down.',
      exit: 'exit code 0',
    },
  ],
  injections: [
    {
      plan: 'chaos',
      name: 'disk full',
      what: 'every write to a file fails with ENOSPC',
      happened: 31,
      proof: '31 writes of the program were refused',
      outcome: 'held',
      note: 'it answers afterwards',
    },
    {
      plan: 'chaos',
      name: 'clock jump',
      what: 'Date.now() goes back by an hour',
      happened: 0,
      proof: 'the program did not read the clock',
      outcome: 'not reached',
      note: 'nothing read the clock while it stood',
    },
    {
      plan: 'chaos',
      name: 'abort in the middle',
      what: 'the client leaves while it reads',
      happened: 40,
      proof: '40 sockets destroyed after the first byte',
      outcome: 'hurt',
      note: 'the process ended with exit code 1',
    },
  ],
  checks: [
    { kind: 'golden', name: 'GET /healthz', outcome: 'ok', text: 'the same answer before and after' },
    { kind: 'state', name: 'GET /healthz sessions', outcome: 'failed', text: '0 before, 40 after' },
  ],
  hypotheses: [
    {
      id: 'h1',
      text: 'bytes per call stay below 2 KiB',
      outcome: 'rejected',
      measured: '2.1 KiB',
    },
  ],
  calls: [{ call: 'POST /sessions', count: 400, errors: 0, p50Ms: 10, p99Ms: 60 }],
  notTried: ['POST /admin: the recipe names no body for it.'],
  isInterrupted: false,
};

/** A run of ten minutes that grows by 150 MiB. */
export function leakReport(changes: Partial<Report> = {}): Report {
  return {
    ...runReport((i) => 30 * MiB + i * 0.75 * MiB),
    verdict: 'leak',
    why: 'Session 0 → 501.',
    findings: [survivor],
    ...changes,
  };
}

/** A run of ten minutes without growth. */
export function cleanReport(changes: Partial<Report> = {}): Report {
  return {
    ...runReport((i) => 30 * MiB + (i % 7) * MiB),
    verdict: 'clean',
    why: 'the live heap did not grow.',
    ...changes,
  };
}

function runReport(liveBytes: (i: number) => number): Report {
  const recorder = new SeriesRecorder();
  const frame = frameOf();
  for (let i = 0; i < 200; i++) {
    const live = liveBytes(i);
    recorder.add({
      at: startedAt + i * 3000,
      used: live + (i % 5) * 3 * MiB,
      heapUsed: live,
      floor: i < 3 ? null : live,
      external: 4 * MiB,
      rss: live + 80 * MiB,
    });
  }
  return composeReport({
    version: '0.0.0-test',
    target: 'node server.js',
    startedAt,
    endedAt,
    exit: { code: 0, signal: null },
    frame,
    series: recorder.series,
    lives: [],
  });
}
