import { knownNumbers } from '@plimsoll/core/internal/sense/reading-fields';
import type { ActionRow, ApprovalRow, Finding, Frame, ScopeRow } from '@plimsoll/host/protocol/frame';
import type {
  AuditRow,
  AutopsyAnswer,
  Explanation,
  HistoryRow,
  PolicyAnswer,
} from '@plimsoll/host/protocol/api';
import { frameOf, incidentOf } from '@plimsoll/host/internal/protocol/frame.fixture';
import type { Stage } from './fixture-server.ts';

const MiB = 1024 ** 2;

/** Numbers that look like chance and are the same in every run. */
export function wave(seed: number): number {
  return ((Math.sin(seed * 12.9898) * 43_758.5453) % 1) * 0.5 + 0.5;
}

/** Open scopes of a server with agents and sessions. */
export function scopesOf(count: number): ScopeRow[] {
  const agents = ['planner', 'researcher', 'coder', 'reviewer', 'support'];
  const kindRow = (path: string, kind: string, index: number): ScopeRow => {
    const bytes = Math.round((0.2 + wave(index) ** 3 * 12) * MiB * (count > 1000 ? 0.02 : 1));
    const budgetBytes = kind === 'session' ? (count > 1000 ? MiB / 4 : 8 * MiB) : null;
    const ratio = budgetBytes === null ? 0 : bytes / budgetBytes;
    return {
      path,
      kind,
      bytes,
      by: index % 3 === 0 ? 'account' : 'census',
      measuredAt: Date.now(),
      spread: null,
      peakBytes: Math.round(bytes * 1.3),
      budgetBytes,
      level: ratio > 1 ? 'critical' : ratio > 0.8 ? 'warning' : 'normal',
      ageMs: 30_000 + index * 7919,
      idleMs: (index * 997) % 300_000,
      leases: index % 4 === 0 ? 1 : 0,
    };
  };
  const rows = agents.map((name, index) => kindRow(`process/agent:${name}`, 'agent', index));
  for (let index = rows.length; index < count; index++) {
    const agent = agents[index % agents.length] as string;
    const session = `process/agent:${agent}/session:${index - (index % 4 === 3 ? 5 : 0)}`;
    rows.push(
      index % 4 === 3 ? kindRow(`${session}/run:${index}`, 'run', index) : kindRow(session, 'session', index),
    );
  }
  return rows;
}

/** A leak with its trace, as the detector tells of it. */
export function leakOf(at: number): Finding {
  return {
    id: 'f-7d1c',
    kind: 'survivor',
    severity: 'high',
    scope: 'process/agent:planner/session:42',
    fingerprint: '7d1c0a94be12',
    firstSeen: at - 240_000,
    lastSeen: at - 4000,
    count: 37,
    bytes: 38.4 * MiB,
    rate: 410 * MiB,
    trace: [
      { type: 'root', name: 'module session-registry.js', via: '', leaking: 'no', why: 'a root' },
      {
        type: 'object',
        name: 'SessionRegistry',
        via: 'registry',
        leaking: 'no',
        why: 'lives as long as the process',
        retainedBytes: 39.1 * MiB,
      },
      {
        type: 'object',
        name: 'Map',
        via: 'sessions',
        leaking: 'maybe',
        why: '37 entries, none was deleted',
        retainedBytes: 38.9 * MiB,
      },
      {
        type: 'object',
        name: 'Session',
        via: 'value of key "session-42"',
        leaking: 'yes',
        why: 'its scope is closed',
        scope: 'process/agent:planner/session:42',
        retainedBytes: 1.04 * MiB,
      },
      {
        type: 'object',
        name: 'Array',
        via: 'messages',
        leaking: 'yes',
        why: 'only held by what should be gone',
        retainedBytes: 1.02 * MiB,
      },
    ],
    fix: 'delete the session from SessionRegistry.sessions when its scope closes, or keep sessions in a keeper with a bound.',
  };
}

export function knownLeakOf(at: number): Finding {
  return {
    id: 'f-ab90',
    kind: 'listener',
    severity: 'medium',
    scope: 'process/agent:researcher',
    fingerprint: 'ab90ff102c55',
    firstSeen: at - 900_000,
    lastSeen: at - 30_000,
    count: 214,
    bytes: 6.2 * MiB,
    trace: [
      { type: 'root', name: 'process', via: '', leaking: 'no', why: 'a root' },
      {
        type: 'object',
        name: 'AbortSignal',
        via: 'shutdown.signal',
        leaking: 'no',
        why: 'lives as long as the process',
        retainedBytes: 6.3 * MiB,
      },
      {
        type: 'function',
        name: 'onAbort()',
        via: 'listener of "abort"',
        leaking: 'maybe',
        why: '214 listeners',
        retainedBytes: 30_000,
      },
    ],
    knownLeak: {
      name: 'a call adds a listener to a signal that outlives it',
      cure: 'pass a signal that lives as long as the call (scope.signal) instead of one that lives as long as the process.',
      link: 'https://github.com/openai/openai-node/issues/1811',
    },
    fix: 'pass a signal that lives as long as the call (scope.signal) instead of one that lives as long as the process.',
  };
}

export function actionsOf(at: number): ActionRow[] {
  const row = (id: number, ago: number, change: Partial<ActionRow>): ActionRow => ({
    id: `a-${id}`,
    at: at - ago,
    action: 'session.park',
    scope: 'process/agent:planner',
    level: 'warning',
    mode: 'enforce',
    outcome: 'done',
    text: 'parked 6 sessions, coldest first, down to 70 %',
    rule: 'ladder.warning[1] plimsoll.yaml:14',
    freedBytes: 21.4 * MiB,
    ...change,
  });
  return [
    row(1, 412_000, {}),
    row(2, 301_000, {
      action: 'keepers.shrink',
      scope: 'process',
      text: 'session-cache gave back 64 entries',
      freedBytes: 8.7 * MiB,
    }),
    row(3, 187_000, {
      action: 'scope.stop',
      level: 'critical',
      outcome: 'would-have',
      mode: 'shadow',
      text: 'would have stopped 3 sessions',
      freedBytes: null,
    }),
    row(4, 96_000, {
      action: 'admit.refuse',
      scope: 'process',
      level: 'critical',
      text: 'refused 12 new runs for 30 s',
      freedBytes: 0,
    }),
    row(5, 9000, {
      action: 'session.park',
      outcome: 'settling',
      freedBytes: null,
      text: 'parked 2 sessions, coldest first, down to 70 %',
    }),
  ];
}

export function approvalOf(id: string, at: number, change: Partial<ApprovalRow> = {}): ApprovalRow {
  return {
    id,
    digest: `digest-${id}`,
    kind: 'action',
    action: 'scope.stop',
    scope: 'process/agent:planner',
    why: 'Level critical for 40 s; evicting idle sessions freed 3.1 MiB and was not enough.',
    evidence: {
      level: 'critical',
      usedBytes: 182 * MiB,
      limitBytes: 200 * MiB,
      projectedBytes: 31 * MiB,
      victims: 'session:7, session:19',
    },
    requestedBy: 'ladder.critical[2]',
    at: at - 20_000,
    deadlineAt: at + 600_000,
    onExpiry: 'skip',
    quorum: 1,
    approvers: ['alice', 'bob'],
    votes: [],
    state: 'open',
    decidedAt: null,
    ranAt: null,
    ...change,
  };
}

/** A frame in the middle of a working day: one leak, some actions, one approval that waits. */
export function busyFrame(at: number = Date.now(), scopes: readonly ScopeRow[] = scopesOf(40)): Frame {
  const calm = frameOf();
  return frameOf({
    pid: 4711,
    target: 'node server.js',
    startedAt: at - 7_260_000,
    at,
    incident: incidentOf(at - 90_000),
    level: 'warning',
    reading: {
      ...calm.reading,
      at,
      used: 152 * MiB + Math.round(wave(at / 1000) * 6 * MiB),
      heapUsed: 168 * MiB,
      floor: 148 * MiB,
      floorAgeMs: 3400,
      majors: 214,
      external: 22 * MiB,
      arrayBuffers: 18 * MiB,
      rss: 268 * MiB,
      loopDelayMs: 4 + wave(at / 700) * 12,
      loopUtilization: 0.31,
      gc: { major: 1, minor: 12, pauseMs: 8 + wave(at / 300) * 14 },
      pressures: [
        { source: 'heap', used: 152 * MiB, limit: 200 * MiB },
        { source: 'cgroup', used: 268 * MiB, limit: 512 * MiB },
        { source: 'native', used: 22 * MiB, limit: 128 * MiB },
      ],
      lateMs: 0,
      scopes: scopes.length,
    },
    limits: { ...calm.limits, source: 'heap' },
    scopes: scopes.slice(0, 50),
    scopeCount: scopes.length,
    kinds: [
      { kind: 'agent', open: 5, opened: 5, bytes: 80 * MiB },
      { kind: 'session', open: 26, opened: 1204, bytes: 70 * MiB },
      { kind: 'run', open: 9, opened: 8211, bytes: 20 * MiB },
    ],
    levels: [
      {
        at: at - 61_000,
        scope: 'process',
        from: 'normal',
        level: 'warning',
        usedBytes: 150 * MiB,
        limitBytes: 200 * MiB,
        source: 'heap',
      },
    ],
    findings: [leakOf(at), knownLeakOf(at)],
    forecast: {
      ms: 1_260_000,
      low: 960_000,
      high: 1_980_000,
      bytesPerHour: 137 * MiB,
      source: 'heap',
      at,
    },
    keepers: [
      {
        name: 'sessions',
        kind: 'session-cache',
        scope: null,
        bytes: 31 * MiB,
        entries: 210,
        boundBytes: 64 * MiB,
        boundEntries: 500,
        parked: 118,
        hitRatio: 0.93,
        leases: 4,
      },
      {
        name: 'events',
        kind: 'replay-buffer',
        scope: 'process/agent:planner',
        bytes: 6.2 * MiB,
        entries: 4096,
        boundBytes: null,
        boundEntries: 4096,
        parked: null,
        hitRatio: null,
        leases: null,
      },
    ],
    stageRuns: stageRunsOf(at),
    delegation: { active: 3, depth: 2, denied: 14, started: 186, blockedRatio: 0.07 },
    gcEffectiveness: 0.91,
    governance: {
      actions: actionsOf(at),
      approvals: [approvalOf('ap-1', at)],
      admission: { state: 'throttling', ratio: 0.2, admitted: 8211, refused: 12, points: [] },
      counts: { actions: 4, cleanups: 4, wouldHave: 1, freedBytes: 30.1 * MiB, approvals: 3 },
    },
    policy: {
      file: 'plimsoll.yaml',
      mode: 'enforce',
      revision: 3,
      fault: null,
      faultSince: null,
      givenUp: null,
    },
    watermark: { usedBytes: 171 * MiB, rss: 301 * MiB, level: 'critical' },
  });
}

function stageRunsOf(at: number): NonNullable<Frame['stageRuns']> {
  const call = (stage: string, startMs: number, durationMs: number, kept: number, ok = true) => {
    const peak = Math.abs(kept) + 2 * MiB;
    return { stage, startMs, durationMs, ok, kept, peak };
  };
  const path = 'process/agent:planner/session:42/run:3';
  const calls = [
    call('rag', 0, 180, 6 * MiB),
    call('tools', 60, 240, 1.2 * MiB),
    call('answer', 310, 900, 40_000),
  ];
  const late = [...calls, call('check', 1210, 45, 0, false), call('compact', 1260, 20, -3 * MiB)];
  return [
    { path, at: at - 4000, durationMs: 1210, kept: 7.2 * MiB, isHeaviest: false, more: 0, calls },
    { path, at: at - 90_000, durationMs: 1280, kept: 4.2 * MiB, isHeaviest: true, more: 2, calls: late },
  ];
}

/** History as a ledger would give it: a saw with a slow rise. */
export function historyOf(from: number, to: number, points: number): HistoryRow[] {
  const step = (to - from) / points;
  return Array.from({ length: points }, (_, index) => {
    const at = Math.round(from + index * step);
    const rise = (index / points) * 62;
    const used = (90 + rise + ((at / 60_000) % 7) * 5 + wave(at) * 3) * MiB;
    return {
      at,
      used,
      usedMax: used + 9 * MiB,
      ...knownNumbers({
        limit: 200 * MiB,
        floor: (84 + rise) * MiB,
        rss: used + 90 * MiB,
        heapUsed: used + 12 * MiB,
        external: 20 * MiB,
        loopDelayMs: 3 + wave(at + 1) * 9,
      }),
      level: 'normal',
    };
  });
}

export function auditOf(at: number): AuditRow[] {
  const row = (
    seq: number,
    ago: number,
    kind: string,
    body: AuditRow['body'],
    scope = 'process',
  ): AuditRow => ({ seq, at: at - ago, kind, scope, body });
  return [
    row(1, 7_260_000, 'start', { target: 'node server.js', pid: 4711 }),
    row(2, 3_600_000, 'policy', {
      text: 'revision 3 in force: canary held for 10 m, none rolled back',
      revision: 3,
    }),
    row(3, 412_000, 'action', { ...actionsOf(at)[0] }, 'process/agent:planner'),
    row(
      4,
      240_000,
      'finding',
      { kind: 'survivor', severity: 'high', bytes: 38.4 * MiB },
      'process/agent:planner/session:42',
    ),
    row(5, 61_000, 'level', {
      from: 'normal',
      level: 'warning',
      usedBytes: 150 * MiB,
      limitBytes: 200 * MiB,
    }),
  ];
}

export function policyOf(file: string | null, withText: boolean): PolicyAnswer {
  const budget = (
    section: string,
    glob: string,
    max: string,
    maxBytes: number,
    line: number,
  ): PolicyAnswer['budgets'][number] => ({
    section,
    glob,
    max,
    maxBytes,
    priority: section === 'agents' ? 'high' : null,
    idleMs: section === 'sessions' ? 300_000 : null,
    place: file === null ? 'built-in' : `${file}:${line}`,
  });
  return {
    file,
    mode: file === null ? 'observe' : 'enforce',
    revision: file === null ? null : 3,
    sha256: file === null ? null : '9f2b61c0aa41de77c0ffee',
    text:
      file !== null && withText
        ? 'apiVersion: plimsoll/v1\nrevision: 3\nmode: enforce\nbudgets:\n  agents:\n    "*": { max: 25% }\n'
        : null,
    fault: null,
    budgets:
      file === null
        ? []
        : [
            budget('agents', '*', '25 % of the true limit', 50 * MiB, 6),
            budget('sessions', '*', '8MiB', 8 * MiB, 8),
          ],
    wouldHave:
      file === null
        ? []
        : [
            {
              action: 'scope.stop',
              level: 'critical',
              rule: 'ladder.critical[2]',
              count: 4,
              lastAt: Date.now() - 187_000,
              lastScope: 'process/agent:planner',
              lastText: 'would have stopped 3 sessions',
            },
          ],
  };
}

export function explanationOf(path: string): Explanation {
  return {
    path,
    policy: { file: 'plimsoll.yaml', revision: 3, sha256: '9f2b61c0aa41' },
    mode: 'enforce',
    values: [
      { key: 'max', value: '8.0 MiB', bytes: 8 * MiB, from: 'sessions "*" (plimsoll.yaml:8)' },
      { key: 'priority', value: 'normal', from: 'built-in' },
      { key: 'idle', value: '5 m', from: 'sessions "*" (plimsoll.yaml:8)' },
    ],
    unused: [{ rule: 'sessions "vip-*"', place: 'plimsoll.yaml:9', why: 'the name does not match' }],
  };
}

/** A stage with everything on it. */
export function busyStage(scopeCount = 40): Stage {
  const at = Date.now();
  const scopes = scopesOf(scopeCount);
  return {
    frame: busyFrame(at, scopes),
    scopes,
    history: historyOf,
    historySpan: { from: at - 7_200_000, to: at },
    audit: auditOf(at),
    live: true,
    policyFile: 'plimsoll.yaml',
    as: 'alice',
    snapshot: {
      prediction: {
        objects: 812_000,
        neededBytes: 226 * MiB,
        stopMs: 1100,
        freeBytes: 1400 * MiB,
        fits: true,
      },
      job: null,
    },
    refuses: false,
    others: [],
  };
}

/** A fifth of the scopes with other figures, as a server tells them: a thousand at a time. */
export function changedScopes(scopes: readonly ScopeRow[], round: number): ScopeRow[][] {
  const rows = scopes
    .filter((_, index) => index % 5 === round % 5)
    .map((row, index) => ({
      ...row,
      bytes: Math.round(row.bytes * (0.6 + wave(round * 7 + index) * 0.8)),
    }));
  return Array.from({ length: Math.ceil(rows.length / 1000) }, (_, at) =>
    rows.slice(at * 1000, at * 1000 + 1000),
  );
}

/** A process that died at the V8 limit for the fourth time. */
export function deadAnswer(): AutopsyAnswer {
  const mib = 1024 ** 2;
  const endedAt = Date.UTC(2026, 10, 16, 2, 8);
  return {
    autopsy: {
      pid: 4711,
      release: '1.4.2',
      startedAt: endedAt - 5_400_000,
      endedAt,
      cause: {
        name: 'v8-heap-limit',
        sure: 'sure',
        text: 'it reached the heap limit of V8',
        evidence: [
          'V8 ended it: "Allocation failed - JavaScript heap out of memory" (OOMError, report of Node.js)',
          'the heap held 498.2 MiB at that moment',
        ],
      },
      memory: {
        used: 489 * mib,
        limit: 512 * mib,
        source: 'heap',
        heapUsed: 498 * mib,
        floor: 481 * mib,
        external: 12 * mib,
        arrayBuffers: 9 * mib,
        rss: 640 * mib,
        level: 'emergency',
      },
      grew: [
        { name: 'process/agent:planner/session:42', bytes: 400 * mib, grewBytes: 390 * mib },
        { name: 'session-cache:sessions', bytes: 21 * mib, grewBytes: 2 * mib },
      ],
      open: { session: 40, agent: 3 },
      refused: 1200,
      running: ['session.park'],
      incident: 'closed sessions in SessionStore.sessions (server.ts:41) hold 380 MiB and grow by 9 GiB/h.',
      fingerprint: 'a1b2c3',
      lastWords: { sites: [{ name: 'keepTurn', where: '/app/server.js:41', bytesPerHour: 9 * 1024 * mib }] },
      stack: ['keepTurn (file:///app/server.js:41:7)', 'onRequest (file:///app/server.js:12:3)'],
      fix: 'find what grows: plimsoll run --report out.html -- the same command; raise --max-old-space-size only when nothing leaks.',
    },
    story:
      'died 4 times in 6 h at the V8 heap limit, each 1 h 30 m after start, same fingerprint, since release 1.4.2',
    deaths: 4,
  };
}
