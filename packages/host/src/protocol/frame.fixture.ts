import type { Frame, Incident } from './frame.ts';
import { partialReading } from '@plimsoll/core/internal/sense/reading';

const MiB = 1024 ** 2;

/** A frame of a small server in normal level; a test overrides the fields that it needs. */
export function frameOf(changes: Partial<Frame> = {}): Frame {
  return {
    v: 1,
    pid: 4711,
    target: 'node server.js',
    node: 'v24.21.0',
    startedAt: Date.UTC(2026, 10, 15, 10, 0, 0),
    at: Date.UTC(2026, 10, 15, 10, 2, 5),
    reading: {
      ...partialReading({
        at: Date.UTC(2026, 10, 15, 10, 2, 5),
        heapUsed: 90 * MiB,
        floor: 70 * MiB,
        floorAgeMs: 4000,
        majors: 9,
        external: 4 * MiB,
        arrayBuffers: 2 * MiB,
        rss: 160 * MiB,
        limit: 200 * MiB,
        used: 70 * MiB,
        loopDelayMs: 3,
        loopUtilization: 0.1,
        scopes: 2,
      }),
      gc: { major: 2, minor: 40, pauseMs: 85 },
      self: { bytes: 1.5 * MiB, cpuRatio: 0.002 },
    },
    level: 'normal',
    limits: { bytes: 200 * MiB, source: 'v8-old-space', text: '200.0 MiB: 0.80 of the 250.0 MiB old space' },
    unattributedBytes: 30 * MiB,
    incident: null,
    keepers: [],
    keeperCount: 0,
    delegation: null,
    scopes: [
      {
        path: 'process/agent:planner/session:42',
        kind: 'session',
        bytes: 30 * MiB,
        by: 'census',
        measuredAt: 0,
        spread: null,
        peakBytes: 31 * MiB,
        budgetBytes: 64 * MiB,
        level: 'normal',
        ageMs: 61_000,
        idleMs: 1000,
        leases: 0,
      },
      {
        path: 'process/agent:planner/session:7',
        kind: 'session',
        bytes: 10 * MiB,
        by: 'account',
        measuredAt: 0,
        spread: null,
        peakBytes: 40 * MiB,
        budgetBytes: null,
        level: 'normal',
        ageMs: 125_000,
        idleMs: 1000,
        leases: 0,
      },
    ],
    scopeCount: 3,
    peaks: [
      { path: 'process/agent:planner/session:3', peakBytes: 55 * MiB, at: Date.UTC(2026, 10, 15, 10, 1, 0) },
      { path: 'process/agent:planner/session:7', peakBytes: 40 * MiB, at: Date.UTC(2026, 10, 15, 10, 1, 30) },
    ],
    kinds: [{ kind: 'session', open: 2, opened: 1204, bytes: 40 * MiB }],
    levels: [],
    heap: {
      physicalBytes: 110 * MiB,
      usedBytes: 90 * MiB,
      codeBytes: 3 * MiB,
      limitBytes: 300 * MiB,
      detachedContexts: 0,
    },
    findings: [],
    forecast: null,
    growth: null,
    governance: {
      actions: [],
      approvals: [],
      admission: null,
      counts: { actions: 0, cleanups: 0, wouldHave: 0, freedBytes: 0, approvals: 0 },
    },
    gcEffectiveness: null,
    policy: { file: null, mode: 'observe', revision: null, fault: null, faultSince: null, givenUp: null },
    ledger: { dir: '.plimsoll/ledger', droppedSamples: 0, fault: null },
    watermark: { usedBytes: 120 * MiB, rss: 180 * MiB, level: 'normal' },
    last: false,
    ...changes,
  };
}

/** An incident that opened at a time and lasts; a test overrides the fields that it needs. */
export function incidentOf(openedAt: number, changes: Partial<Incident> = {}): Incident {
  return {
    id: 'I-1',
    revision: 1,
    headline:
      'SessionStore.sessions holds 168.0 MiB and grows by 9.0 GiB per hour; full in 40 s; new work is refused (12 so far).',
    level: 'critical',
    openedAt,
    endedAt: null,
    outcome: null,
    events: [
      {
        kind: 'growth',
        at: openedAt,
        until: openedAt,
        count: 1,
        text: 'high finding: growing memory in process, 168.0 MiB, held by SessionStore.sessions',
        freedBytes: null,
      },
      {
        kind: 'action',
        at: openedAt + 20_000,
        until: openedAt + 60_000,
        count: 3,
        text: 'session.park: parked 3 sessions.',
        freedBytes: 3 * MiB,
      },
    ],
    eventsLeftOut: 0,
    findings: [],
    refused: 12,
    freedBytes: 3 * MiB,
    peakUsedBytes: 190 * MiB,
    fix: 'remove entries from SessionStore.sessions when their work ends.',
    ...changes,
  };
}
