import type { Frame } from './frame.ts';

const MiB = 1024 ** 2;

/** A frame of a small server in normal level; tests override what they are about. */
export function frameOf(changes: Partial<Frame> = {}): Frame {
  return {
    v: 1,
    pid: 4711,
    target: 'node server.js',
    node: 'v24.21.0',
    startedAt: Date.UTC(2026, 10, 15, 10, 0, 0),
    at: Date.UTC(2026, 10, 15, 10, 2, 5),
    reading: {
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
      gc: { major: 2, minor: 40, pauseMs: 85 },
      scopes: 2,
      self: { bytes: 1.5 * MiB, cpuRatio: 0.002 },
    } as Frame['reading'],
    level: 'normal',
    limits: { bytes: 200 * MiB, source: 'v8-old-space', text: '200.0 MiB: 0.80 of the 250.0 MiB old space' },
    unattributedBytes: 30 * MiB,
    scopes: [
      {
        path: 'process/agent:planner/session:42',
        kind: 'session',
        bytes: 30 * MiB,
        by: 'census',
        peakBytes: 31 * MiB,
        budgetBytes: 64 * MiB,
        level: 'normal',
        ageMs: 61_000,
      },
      {
        path: 'process/agent:planner/session:7',
        kind: 'session',
        bytes: 10 * MiB,
        by: 'account',
        peakBytes: 40 * MiB,
        budgetBytes: null,
        level: 'normal',
        ageMs: 125_000,
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
    growth: null,
    policy: { file: null, mode: 'observe', revision: null, fault: null },
    ledger: { dir: '.plimsoll/ledger', droppedSamples: 0, fault: null },
    watermark: { usedBytes: 120 * MiB, rss: 180 * MiB, level: 'normal' },
    last: false,
    ...changes,
  };
}
