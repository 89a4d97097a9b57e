import { isCleanup } from '@plimsoll/govern/internal/policy/actions';
import type { Finding, Severity } from '@plimsoll/leak/internal/findings/finding';
import { partialReading } from '@plimsoll/core/internal/sense/reading';
import { formatByteSize } from '@plimsoll/core/units';
import type { AuditRecord, LedgerReader, Story } from '@plimsoll/ledger';
import type {
  ActionRow,
  ApprovalRow,
  Frame,
  Incident,
  Level,
  LevelRow,
  ScopeRow,
} from '@plimsoll/host/protocol/frame';
import { levels } from '@plimsoll/host/protocol/text';

type Body = AuditRecord['body'];

const mostRows = 200;
/** Scopes are sampled every ten seconds, so the scopes of the last sample were open at the end. */
const lastSampleMs = 15_000;

const text = (value: unknown, fallback = ''): string => (typeof value === 'string' ? value : fallback);
const number = (value: unknown, fallback = 0): number => (typeof value === 'number' ? value : fallback);

/** The last frame of an ended process, made from its ledger. Fields that the ledger does not keep are zero, empty or null. */
export function frameOfRun(reader: LedgerReader, story: Story): Frame {
  const start = story.start?.body ?? {};
  const { last } = story;
  const at = last?.at ?? story.lastSeen;
  const used = last?.usedBytes ?? 0;
  const limit = last?.limit ?? number(start['limit']);
  const levels = story.levels.map(levelRow);
  const { scopes, peaks, count } = scopesOf(reader, story);
  const source = text(start['limitSource'], 'unknown');
  return {
    v: 1,
    pid: story.pid ?? 0,
    target: text(start['command'], 'unknown'),
    node: text(start['node'], 'unknown'),
    startedAt: story.started,
    at,
    reading: readingOf(reader, story, { at, used, limit, scopes: count }),
    level: last?.level ?? 'normal',
    limits: { bytes: limit, source, text: `${formatByteSize(limit)}: from the ledger` },
    unattributedBytes: null,
    keepers: [],
    keeperCount: 0,
    delegation: null,
    scopes,
    scopeCount: count,
    peaks,
    kinds: kindsOf(scopes),
    levels,
    heap: { physicalBytes: 0, usedBytes: 0, codeBytes: 0, limitBytes: 0, detachedContexts: 0 },
    findings: findingsOf(story.findings),
    forecast: null,
    incident: incidentOf(story.others.filter(({ kind }) => kind === 'incident')),
    growth: null,
    governance: governanceOf(story),
    gcEffectiveness: null,
    policy: {
      file: typeof start['policy'] === 'string' ? start['policy'] : null,
      mode: text(start['mode'], 'observe'),
      revision: null,
      fault: null,
      faultSince: null,
      givenUp: null,
    },
    ledger: { dir: reader.dir, droppedSamples: 0, fault: null },
    watermark: {
      usedBytes: story.peak?.usedBytes ?? used,
      rss: last?.rss ?? 0,
      level: highest(levels, last?.level ?? 'normal'),
    },
    last: true,
  };
}

function readingOf(
  reader: LedgerReader,
  story: Story,
  now: { at: number; used: number; limit: number; scopes: number },
): Frame['reading'] {
  const { at, used, limit, scopes } = now;
  const [sample] = [...reader.samples({ since: at, until: at + 1, run: story.run, scope: 'process' })].slice(
    -1,
  );
  const { floor = null, rss = null } = story.last ?? {};
  return partialReading({ ...sample, at, floor, rss, used, limit, scopes });
}

function scopesOf(
  reader: LedgerReader,
  story: Story,
): { scopes: readonly ScopeRow[]; peaks: Frame['peaks']; count: number } {
  const { rows } = reader.summary({ run: story.run, by: 'scope', limit: 1000 });
  const below = rows.filter((row) => row.key !== 'process');
  const end = Math.max(0, ...below.map((row) => row.lastSeen));
  const open = below.filter((row) => row.lastSeen > end - lastSampleMs);
  const scopes = open.map((row) => ({
    path: row.key,
    kind: kindOf(row.key),
    bytes: row.lastBytes,
    by: 'account' as const,
    measuredAt: row.lastSeen,
    spread: null,
    peakBytes: row.maxBytes,
    budgetBytes: null,
    level: 'normal' as const,
    ageMs: Math.max(0, end - row.firstSeen),
    idleMs: 0,
    leases: 0,
  }));
  return {
    scopes: scopes.sort((a, b) => b.bytes - a.bytes).slice(0, mostRows),
    peaks: below.slice(0, 10).map((row) => ({ path: row.key, peakBytes: row.maxBytes, at: row.lastSeen })),
    count: open.length,
  };
}

function kindOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).split(':')[0] as string;
}

function kindsOf(scopes: readonly ScopeRow[]): Frame['kinds'] {
  const kinds = new Map<string, { kind: string; open: number; opened: number; bytes: number }>();
  for (const { kind, bytes } of scopes) {
    const row = kinds.get(kind) ?? { kind, open: 0, opened: 0, bytes: 0 };
    row.open++;
    row.opened++;
    row.bytes += bytes;
    kinds.set(kind, row);
  }
  return [...kinds.values()].sort((a, b) => b.bytes - a.bytes);
}

function levelRow({ at, scope, body }: AuditRecord): LevelRow {
  return {
    at,
    scope,
    from: text(body['from'], 'normal') as Level,
    level: text(body['to'], 'normal') as Level,
    usedBytes: number(body['usedBytes']),
    limitBytes: number(body['limit']),
    source: text(body['source']),
  };
}

function highest(changes: readonly LevelRow[], least: Level): Level {
  const words = changes.filter((row) => row.scope === 'process').map((row) => row.level);
  return words.reduce((a, b) => (levels.indexOf(b) > levels.indexOf(a) ? b : a), least);
}

/** The newest state of each finding; the ledger keeps one line of the leak trace, which becomes the names of the steps. */
function findingsOf(entries: readonly AuditRecord[]): readonly Finding[] {
  const newest = new Map<string, Finding>();
  for (const entry of entries)
    newest.set(text(entry.body['fingerprint'], String(entry.seq)), findingOf(entry));
  return [...newest.values()].slice(-100).reverse();
}

function findingOf({ at, scope, seq, body }: AuditRecord): Finding {
  const trace = typeof body['trace'] === 'string' ? traceOf(body['trace']) : undefined;
  return {
    id: text(body['id'], String(seq)),
    kind: text(body['kind'], 'growth') as Finding['kind'],
    severity: text(body['severity'], 'info') as Severity,
    scope,
    fingerprint: text(body['fingerprint'], String(seq)),
    firstSeen: number(body['firstSeen'], at),
    lastSeen: at,
    count: number(body['count'], 1),
    bytes: number(body['bytes']),
    ...(typeof body['rate'] === 'number' ? { rate: body['rate'] } : {}),
    ...(trace === undefined ? {} : { trace }),
    fix: text(body['fix']),
  };
}

/** The newest incident. Its time line consists of its entries. An incident without an end lasted until the end of the process. */
function incidentOf(entries: readonly AuditRecord[]): Incident | null {
  const last = entries.at(-1);
  if (last === undefined) return null;
  const { body } = last;
  const id = text(body['id']);
  const own = entries.filter((entry) => entry.body['id'] === id).slice(-mostRows);
  const outcome = (body['outcome'] ?? null) as Incident['outcome'];
  return {
    id,
    revision: own.length,
    headline: text(body['headline']),
    level: text(body['level'], 'normal') as Level,
    openedAt: number(body['openedAt'], own[0]?.at ?? last.at),
    endedAt: outcome === null ? null : last.at,
    outcome,
    events: own.map(({ at, body: { event, headline } }) => ({
      kind: event === 'ended' ? 'end' : 'growth',
      at,
      until: at,
      count: 1,
      text: text(headline),
      freedBytes: null,
    })),
    eventsLeftOut: 0,
    findings: [],
    refused: number(body['refused']),
    freedBytes: number(body['freedBytes']),
    peakUsedBytes: number(body['peakUsedBytes']),
    fix: typeof body['fix'] === 'string' ? body['fix'] : null,
  };
}

function traceOf(line: string): NonNullable<Finding['trace']> {
  return line.split(' > ').map((step) => {
    const colon = step.indexOf(': ');
    const [via, name] = colon < 0 ? ['', step] : [step.slice(0, colon), step.slice(colon + 2)];
    return { type: 'object', name, via, leaking: 'maybe', why: '' };
  });
}

function governanceOf({ actions, others }: Story): Frame['governance'] {
  const rows = new Map<string, ActionRow>();
  for (const entry of actions) {
    const row = actionRow(entry);
    rows.set(row.id, row);
  }
  const all = [...rows.values()];
  const approvals = approvalsOf(others.filter((entry) => entry.kind === 'approval'));
  return {
    actions: all.slice(-mostRows),
    approvals,
    admission: null,
    counts: {
      actions: all.filter((row) => row.outcome !== 'would-have').length,
      cleanups: all.filter((row) => row.outcome === 'done' && isCleanup(row.action)).length,
      wouldHave: all.filter((row) => row.outcome === 'would-have').length,
      freedBytes: all.reduce((sum, row) => sum + Math.max(0, row.freedBytes ?? 0), 0),
      approvals: approvals.length,
    },
  };
}

function actionRow({ at, scope, seq, body }: AuditRecord): ActionRow {
  return {
    id: text(body['id'], String(seq)),
    at,
    action: text(body['action'], 'unknown'),
    scope,
    level: text(body['level'], 'normal') as Level,
    mode: text(body['mode']),
    outcome: text(body['outcome'], 'done') as ActionRow['outcome'],
    text: text(body['text']),
    rule: text(body['rule']),
    freedBytes: typeof body['freedBytes'] === 'number' ? body['freedBytes'] : null,
  };
}

/** The newest state of each approval; one that was open when the process ended is lost. */
function approvalsOf(entries: readonly AuditRecord[]): readonly ApprovalRow[] {
  const newest = new Map<string, ApprovalRow>();
  for (const { at, scope, seq, body } of entries) {
    const id = text(body['id'], String(seq));
    const first = newest.get(id);
    const state = text(body['state'], 'lost') as ApprovalRow['state'];
    newest.set(id, {
      id,
      digest: text(body['digest'], first?.digest),
      kind: text(body['kind'], first?.kind ?? 'action'),
      action: text(body['action'], first?.action ?? 'unknown'),
      scope,
      why: text(body['why'], first?.why),
      evidence: evidenceOf(body) ?? first?.evidence ?? {},
      requestedBy: text(body['requestedBy'], first?.requestedBy),
      at: first?.at ?? at,
      deadlineAt: number(body['deadlineAt'], first?.deadlineAt ?? at),
      onExpiry: text(body['onExpiry'], first?.onExpiry ?? 'skip') as ApprovalRow['onExpiry'],
      quorum: number(body['quorum'], first?.quorum ?? 1),
      approvers: first?.approvers ?? [],
      votes: votesOf(first, at, body),
      state: state === 'open' ? 'lost' : state,
      decidedAt: state === 'open' ? null : at,
      ranAt: typeof body['ranAt'] === 'number' ? body['ranAt'] : (first?.ranAt ?? null),
    });
  }
  return [...newest.values()].slice(-mostRows).reverse();
}

function evidenceOf(body: Body): ApprovalRow['evidence'] | undefined {
  const { evidence } = body;
  return typeof evidence === 'object' && evidence !== null
    ? (evidence as ApprovalRow['evidence'])
    : undefined;
}

function votesOf(first: ApprovalRow | undefined, at: number, body: Body): ApprovalRow['votes'] {
  const votes = first?.votes ?? [];
  const { by, decision } = body;
  if (typeof by !== 'string' || (decision !== 'approve' && decision !== 'deny')) return votes;
  return [...votes, { by, decision, at, channel: text(body['channel']), comment: text(body['comment']) }];
}
