import { hostname } from 'node:os';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { levels, type Level } from '@plimsoll/core/internal/level';
import type { Database } from '../sqlite/database.ts';
import { listAudit } from './audit-list.ts';
import type { AuditRecord } from './audit-list.ts';

/** One process that wrote this ledger. */
export interface RunRow {
  readonly run: number;
  readonly pid: number | undefined;
  readonly host: string | undefined;
  readonly started: number;
}

/** The state of the process at one sample. */
interface Moment {
  readonly at: number;
  readonly usedBytes: number;
  readonly limit: number | undefined;
  readonly floor: number | undefined;
  readonly rss: number | undefined;
  readonly level: Level | undefined;
}

/** The events of one run, in order. */
export interface Story extends RunRow {
  /** `died`: it does not run and wrote no exit. It was killed, crashed or ran out of memory. */
  readonly state: 'running' | 'ended' | 'died';
  readonly lastSeen: number;
  readonly start: AuditRecord | undefined;
  readonly exit: AuditRecord | undefined;
  readonly first: Moment | undefined;
  readonly peak: Moment | undefined;
  readonly last: Moment | undefined;
  readonly levels: readonly AuditRecord[];
  readonly findings: readonly AuditRecord[];
  readonly actions: readonly AuditRecord[];
  /** Policies, approvals, faults and everything else. */
  readonly others: readonly AuditRecord[];
  readonly samples: number;
  readonly scopes: number;
}

/** Runs that left samples or a start entry, newest first. */
export function listRuns(samples: Database | undefined, audit: Database | undefined): RunRow[] {
  const found = new Map<number, RunRow>();
  for (const row of samples?.all<RunRow>('SELECT id AS run, pid, host, started FROM run WHERE batch > 0') ??
    []) {
    found.set(row.run, row);
  }
  const starts =
    audit?.all<{ run: number; at: number; pid: number | null }>(
      "SELECT run, at, CASE WHEN json_valid(body) THEN json_extract(body, '$.pid') END AS pid FROM audit WHERE kind = 'start'",
    ) ?? [];
  for (const { run, at, pid } of starts) {
    if (!found.has(run)) found.set(run, { run, pid: pid ?? undefined, host: undefined, started: at });
  }
  return [...found.values()].sort((a, b) => b.started - a.started);
}

/** The story of one run. */
export function tellRun(row: RunRow, samples: Database | undefined, audit: Database | undefined): Story {
  const entries = audit === undefined ? [] : listAudit(audit, { run: row.run });
  const next = successor(row, audit);
  const exit =
    entries.findLast((entry) => entry.kind === 'exit') ?? (next?.kind === 'exit' ? next : undefined);
  const seen = samples?.get(
    'SELECT max(last_at) AS last, sum(n) AS n, count(*) AS scopes FROM series WHERE run = ?',
    row.run,
  ) as { last: number | null; n: number | null; scopes: number } | undefined;
  const moments = samples === undefined ? undefined : processMoments(samples, row.run);
  const of = (...kinds: string[]): AuditRecord[] => entries.filter((entry) => kinds.includes(entry.kind));
  const start = entries.find((entry) => entry.kind === 'start');
  return {
    ...row,
    started: Math.min(row.started, start?.at ?? row.started),
    state: exit !== undefined ? 'ended' : isRunning(row, next) ? 'running' : 'died',
    lastSeen: Math.max(row.started, seen?.last ?? 0, entries.at(-1)?.at ?? 0, exit?.at ?? 0),
    start,
    exit,
    first: moments?.first,
    peak: moments?.peak,
    last: moments?.last,
    levels: of('level'),
    findings: [...of('finding'), ...reported(row, audit)].sort((a, b) => a.seq - b.seq),
    actions: of('action'),
    others: entries.filter((entry) => !['start', 'exit', 'level', 'finding', 'action'].includes(entry.kind)),
    samples: seen?.n ?? 0,
    scopes: seen?.scopes ?? 0,
  };
}

/**
 * The next entry of another run about the same process id. An exit is a supervisor's record of this run's end. A start means that another
 * process got the id, as in containers at every restart.
 */
function successor(row: RunRow, audit: Database | undefined): AuditRecord | undefined {
  if (audit === undefined || row.pid === undefined) return undefined;
  const found = listAudit(audit, { kinds: ['start', 'exit'], since: row.started });
  return found.find((entry) => entry.run !== row.run && entry.body['pid'] === row.pid);
}

/** Findings about this process that its supervisor wrote after the end, with a run of its own. */
function reported(row: RunRow, audit: Database | undefined): AuditRecord[] {
  if (audit === undefined || row.pid === undefined) return [];
  const found = listAudit(audit, { kinds: ['start', 'finding'], since: row.started });
  const others = found.filter(({ run, body }) => run !== row.run && body['pid'] === row.pid);
  // Another process may have got the same process id since then.
  const next = others.findIndex(({ kind }) => kind === 'start');
  return next < 0 ? others : others.slice(0, next);
}

function isRunning(row: RunRow, next: AuditRecord | undefined): boolean {
  const here = row.host === undefined || row.host === hostname();
  return here && next === undefined && row.pid !== undefined && isAlive(row.pid);
}

interface RawRow {
  at: number;
  bytes: number;
  limit_bytes: number | null;
  floor: number | null;
  rss: number | null;
  level: number | null;
}

const nothing = { limit_bytes: null, floor: null, rss: null, level: null };

function processMoments(
  db: Database,
  run: number,
): { first: Moment | undefined; peak: Moment; last: Moment | undefined } | undefined {
  const process = db.get(
    "SELECT id, high, high_at, first_at, last_at FROM series WHERE run = ? AND kind = 'process' ORDER BY length(path) LIMIT 1",
    run,
  ) as { id: number; high: number; high_at: number; first_at: number; last_at: number } | undefined;
  if (process === undefined) return undefined;
  const at = (time: number): Moment | undefined => {
    const row = db.get(
      'SELECT at, bytes, limit_bytes, floor, rss, level FROM sample WHERE series = ? AND at = ? ORDER BY bytes DESC LIMIT 1',
      process.id,
      time,
    ) as RawRow | undefined;
    return row === undefined ? undefined : moment(row);
  };
  return {
    first: at(process.first_at),
    // The sample itself may be past its retention; its value is kept with the series.
    peak: at(process.high_at) ?? moment({ ...nothing, at: process.high_at, bytes: process.high }),
    last: at(process.last_at),
  };
}

function moment(row: RawRow): Moment {
  return {
    at: row.at,
    usedBytes: row.bytes,
    limit: row.limit_bytes ?? undefined,
    floor: row.floor ?? undefined,
    rss: row.rss ?? undefined,
    level: row.level === null ? undefined : levels[row.level],
  };
}
