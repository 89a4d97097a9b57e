import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import { version } from '@plimsoll/core/internal/version';
import type { AuditRecord, LedgerGrowth, LedgerReader, RangePoint, Story } from '@plimsoll/ledger';
import { severities } from '@plimsoll/leak/internal/findings/finding';
import type { Finding, Severity, FindingStep } from '@plimsoll/leak/internal/findings/finding';
import { levels } from '@plimsoll/host/protocol/text';
import { composeReport } from '../run/report.ts';
import type { Report } from '../run/report.ts';
import { seriesOf } from '../run/series.ts';
import type { HistorySection } from './history-section.ts';

interface LedgerWindow {
  /** Ms since the epoch; the first sample without it. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

const mostGrown = 20;
const mostRuns = 50;
const mostActions = 200;
/** A slope counts as growth when it is this many times its error. */
const certainty = 3;
/** And when it added this share of its first value. */
const leastShare = 0.05;
const leastSamples = 30;

/** A report over a window of the ledger: growth, findings and actions. */
export function ledgerReport(reader: LedgerReader, window: LedgerWindow, now = Date.now()): Report {
  const until = window.until ?? now;
  const stories = storiesOf(reader, window.since ?? 0, until);
  const newest = stories[0];
  const since = window.since ?? Math.min(until, ...stories.map(({ started }) => started));
  const growth = reader.growth({ since, until });
  // When only an hour of a week was recorded, the plot shows that hour.
  const seen = {
    since: Math.max(since, Math.min(until, ...stories.map(({ started }) => started))),
    until: Math.min(until, Math.max(since, ...stories.map(({ lastSeen }) => lastSeen)) + 1),
  };
  const points = reader.range({ scope: 'process', ...seen, points: 240 }).points;
  const findings = findingsOf(reader.audit({ kinds: ['finding'], since, until }));
  const samples = points.reduce((sum, point) => sum + point.samples, 0);
  const history: HistorySection = {
    dir: reader.dir,
    runs: stories.length,
    grown: grownOf(growth),
    samples,
  };
  const report = composeReport({
    version,
    target: targetOf(newest),
    startedAt: since,
    endedAt: until,
    exit: exitOf(newest),
    frame: undefined,
    series: seriesOf(points.map(pointOf)),
    lives: stories.toReversed().map(lifeOf),
  });
  const last = points.at(-1);
  return {
    ...report,
    ...verdictOf(findings, history),
    findings,
    readings: {
      ...report.readings,
      peakUsedBytes: points.length === 0 ? null : Math.max(...points.map(({ maxBytes }) => maxBytes)),
      peakRssBytes: highest(points.map(({ rss }) => rss)),
      peakLevel:
        levels[
          Math.max(-1, ...points.map(({ level }) => (level === undefined ? -1 : levels.indexOf(level))))
        ] ?? null,
      levels: reader
        .audit({ kinds: ['level'], since, until })
        .slice(-mostActions)
        .map(levelOf),
    },
    limits:
      last?.limit === undefined ? null : { bytes: last.limit, source: 'ledger', text: 'as recorded last' },
    actions: reader
      .audit({ kinds: ['action'], since, until })
      .slice(-mostActions)
      .map(actionOf),
    history,
  };
}

function storiesOf(reader: LedgerReader, since: number, until: number): readonly Story[] {
  return reader
    .runs()
    .filter(({ started }) => started < until)
    .slice(0, mostRuns)
    .flatMap(({ run }) => reader.story(run) ?? [])
    .filter(({ lastSeen, samples }) => lastSeen >= since && samples > 0);
}

function verdictOf(findings: readonly Finding[], history: HistorySection): Pick<Report, 'verdict' | 'why'> {
  const leak = findings.find(
    ({ severity, endedAt, trace, kind }) =>
      severities.indexOf(severity) >= severities.indexOf('medium') &&
      endedAt === undefined &&
      kind !== 'budget' &&
      (kind !== 'growth' || trace !== undefined),
  );
  if (leak !== undefined)
    return { verdict: 'leak', why: `${leak.subject ?? leak.kind} in ${leak.scope}: ${leak.fix}` };
  const process = history.grown.find(({ scope }) => scope === 'process');
  if (process !== undefined)
    return {
      verdict: 'undecided',
      why: `the process grew by ${formatByteSize(process.bytesPerHour)} per hour over ${formatDuration(process.hours * 3_600_000)}, and no finding says who holds it.`,
    };
  if (history.samples < leastSamples)
    return {
      verdict: 'undecided',
      why: `the ledger has ${history.samples} samples of the process in this window.`,
    };
  return { verdict: 'clean', why: 'no finding is open and the process did not grow beyond its own noise.' };
}

function grownOf({ rows }: LedgerGrowth): HistorySection['grown'] {
  return rows
    .filter(
      ({ bytesPerHour, errorPerHour, startBytes, endBytes }) =>
        bytesPerHour > certainty * errorPerHour &&
        endBytes - startBytes > leastShare * Math.max(1, startBytes),
    )
    .slice(0, mostGrown)
    .map(({ scope, bytesPerHour, errorPerHour, startBytes, endBytes, from, to }) => ({
      scope,
      bytesPerHour,
      errorPerHour,
      startBytes,
      endBytes,
      hours: (to - from) / 3_600_000,
    }));
}

/** The last entry of each fingerprint, gravest first. */
export function findingsOf(entries: readonly AuditRecord[]): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const { at, scope, body } of entries) {
    const fingerprint = text(body['fingerprint']);
    if (fingerprint === undefined) continue;
    const known = found.get(fingerprint);
    const rate = number(body['rate']);
    const trace = traceOf(text(body['trace'])) ?? known?.trace;
    const subject = subjectOf(text(body['message']));
    const endedAt = number(body['endedAt']);
    found.set(fingerprint, {
      id: text(body['id']) ?? fingerprint,
      kind: (text(body['kind']) ?? 'growth') as Finding['kind'],
      severity: severities.find((each) => each === body['severity']) ?? ('info' satisfies Severity),
      scope: scope ?? 'process',
      fingerprint,
      firstSeen: Math.min(known?.firstSeen ?? at, number(body['firstSeen']) ?? at),
      lastSeen: at,
      count: number(body['count']) ?? 1,
      bytes: number(body['bytes']) ?? 0,
      fix: text(body['fix']) ?? '',
      ...(rate === undefined ? {} : { rate }),
      ...(trace === undefined ? {} : { trace }),
      ...(subject === undefined ? {} : { subject }),
      ...(endedAt === undefined ? {} : { endedAt }),
    });
  }
  return [...found.values()].toSorted(
    (a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity) || b.bytes - a.bytes,
  );
}

/** The subject of a message of the form "survivor of SUBJECT". */
function subjectOf(message: string | undefined): string | undefined {
  return message === undefined ? undefined : (/^\w+ of (.+)$/.exec(message)?.[1] ?? message);
}

/** The ledger keeps a trace as one line: "global > via: name > via: name". */
function traceOf(line: string | undefined): readonly FindingStep[] | undefined {
  if (line === undefined) return undefined;
  const steps = line.split(' > ');
  return steps.map((step, i) => {
    const cut = i === 0 ? -1 : step.indexOf(': ');
    return {
      type: 'object',
      name: step.slice(cut < 0 ? 0 : cut + 2),
      via: cut < 0 ? '' : step.slice(0, cut),
      leaking: i === steps.length - 1 ? ('yes' as const) : ('maybe' as const),
      why: i === steps.length - 1 ? 'what was found' : '',
    };
  });
}

function pointOf({ at, maxBytes, avgBytes, floor, rss }: RangePoint): {
  at: number;
  used: number;
  heapUsed: number;
  floor: number | null;
  external: number;
  rss: number;
} {
  return { at, used: maxBytes, heapUsed: avgBytes, floor: floor ?? null, external: 0, rss: rss ?? 0 };
}

function lifeOf(story: Story): Report['lives'][number] {
  return {
    pid: story.pid ?? 0,
    started: new Date(story.started).toISOString(),
    ended: new Date(story.lastSeen).toISOString(),
    exit: exitOf(story),
    restart: null,
    peakUsedBytes: story.peak?.usedBytes ?? null,
    peakLevel: story.peak?.level ?? null,
  };
}

function exitOf(story: Story | undefined): Report['lives'][number]['exit'] {
  const body = story?.exit?.body ?? {};
  return { code: number(body['code']) ?? null, signal: text(body['signal']) ?? null };
}

function targetOf(story: Story | undefined): string {
  const body = story?.start?.body ?? {};
  return text(body['command']) ?? text(body['target']) ?? 'no process recorded';
}

function levelOf({ at, scope, body }: AuditRecord): Report['readings']['levels'][number] {
  const level = (value: unknown): (typeof levels)[number] =>
    levels.find((each) => each === value) ?? 'normal';
  return {
    at,
    scope: scope ?? 'process',
    from: level(body['from']),
    level: level(body['to'] ?? body['level']),
    usedBytes: number(body['usedBytes'] ?? body['used'] ?? body['bytes']) ?? 0,
    limitBytes: number(body['limit'] ?? body['limitBytes']) ?? 0,
    source: text(body['source']) ?? 'ledger',
  };
}

const outcomes: readonly Report['actions'][number]['outcome'][] = [
  'waiting',
  'running',
  'settling',
  'done',
  'would-have',
  'skipped',
  'failed',
];

function actionOf({ seq, at, scope, body }: AuditRecord): Report['actions'][number] {
  const freedBytes = number(body['freedBytes']) ?? null;
  return {
    id: text(body['id']) ?? String(seq),
    at,
    scope: scope ?? 'process',
    action: text(body['action']) ?? 'action',
    level: levels.find((each) => each === body['level']) ?? 'normal',
    mode: text(body['mode']) ?? '',
    outcome: outcomes.find((each) => each === body['outcome']) ?? 'done',
    text: text(body['text']) ?? (freedBytes === null ? '' : `freed ${formatByteSize(freedBytes)}`),
    rule: text(body['rule']) ?? '',
    freedBytes,
  };
}

function highest(values: readonly (number | undefined)[]): number | null {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? null : Math.max(...known);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
