import { levels } from '@plimsoll/core/internal/level';
import { storedFields } from '@plimsoll/core/internal/sense/reading-fields';
import type { PgSession, PgValue } from './client.ts';
import { findingQueries } from './finding-queries.ts';
import type {
  FleetApproval,
  FleetEntry,
  FleetFinding,
  FleetPoint,
  FleetProcess,
  FleetScopeRow,
  FleetSummary,
  HeatMap,
} from './fleet-rows.ts';

/** Longest time without a sign of life: three shipments and one that is late. Milliseconds. */
const silentAfterMs = 45_000;
const hour = 3_600_000;
const day = 24 * hour;
/** Ended and silent processes leave the list after this time. */
const forgetMs = day;
const mostProcesses = 5000;

interface FleetFilter {
  readonly service?: string | undefined;
  readonly release?: string | undefined;
  /** Includes processes that ended or fell silent within the last `withinMs` milliseconds. Default one day. */
  readonly withinMs?: number | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

/** Every column of a process as the page shows it; $1 is the longest time without a sign of life. */
const processColumns = `p.id, p.service, p.release, p.host, p.pid, ${ms('p.started')} as "started", ${ms('p.last_seen')} as "lastSeen",
  greatest(0, ${ms('now() - p.last_seen')}) as "quietMs",
  case when p.ended is not null then 'ended' when p.last_seen < now() - $1 * interval '1 millisecond' then 'silent' else 'live' end as state,
  p.level, p.pressure::float8 as pressure, p.used_bytes::float8 as "usedBytes", p.limit_bytes::float8 as "limitBytes", p.forecast, p.mode,
  p.policy_version::float8 as "policyVersion", p.skew_ms::float8 as "skewMs", p.samples::float8 as samples, p.lost::float8 as lost,
  ${ms('p.ended')} as ended, p.outcome, p.live`;

/** The most endangered first: live before silent before ended, then by level, by the time that is left, and by pressure. */
const byDanger = `order by (p.ended is not null), p.level desc, (p.forecast->>'ms')::float8 asc nulls last, p.pressure desc nulls last, p.id`;

/** Tables for the cells of a heat map, by the shortest time of a cell. The coarsest sufficient one is read. */
const finest = [5 * 60_000, 'rollup'] as const;
const heatTables = [[6 * hour, 'heat'], [hour, 'rollup_hour'], finest] as const;

type Raw<T extends { level: unknown }> = Omit<T, 'level'> & { readonly level: number | null };

/** The read queries of the fleet's pages and commands. */
export class FleetQueries {
  readonly #session: PgSession;
  readonly #silentMs: number;

  constructor(session: PgSession, silentMs = silentAfterMs) {
    this.#session = session;
    this.#silentMs = silentMs;
  }

  /** Processes by danger, most endangered first. */
  async processes(filter: FleetFilter = {}): Promise<readonly FleetProcess[]> {
    const rows = await this.#session.query<Raw<FleetProcess>>(
      `select ${processColumns} from plimsoll.process p
       where p.last_seen > now() - $2 * interval '1 millisecond' and ($3::text is null or p.service = $3) and ($4::text is null or p.release = $4)
       ${byDanger} limit $5 offset $6`,
      [
        this.#silentMs,
        filter.withinMs ?? forgetMs,
        filter.service ?? null,
        filter.release ?? null,
        Math.min(filter.limit ?? mostProcesses, mostProcesses),
        filter.offset ?? 0,
      ],
    );
    return rows.map(withLevel);
  }

  async process(id: string): Promise<FleetProcess | undefined> {
    const rows = await this.#session.query<Raw<FleetProcess>>(
      `select ${processColumns} from plimsoll.process p where p.id = $2`,
      [this.#silentMs, id],
    );
    return rows.map(withLevel)[0];
  }

  /** The process with this id, beginning of an id, or host. Ended processes come first, then the one with the newest sign of life. */
  async processNamed(name: string): Promise<FleetProcess | undefined> {
    const rows = await this.#session.query<Raw<FleetProcess>>(
      `select ${processColumns} from plimsoll.process p where p.id = $2 or p.host = $2 or left(p.id, length($2)) = $2
       order by (p.id = $2) desc, (p.ended is null and p.last_seen >= now() - $1 * interval '1 millisecond'), p.last_seen desc limit 1`,
      [this.#silentMs, name],
    );
    return rows.map(withLevel)[0];
  }

  /** The newest autopsies of a service. */
  deaths(service: string, limit: number): Promise<readonly FleetEntry[]> {
    return this.#entries(
      `e.kind = 'autopsy' and e.process_id in (select id from plimsoll.process where service = $1)`,
      [service],
      limit,
    );
  }

  /** How many are live, silent and ended, by level and by release. */
  async summary(withinMs = forgetMs): Promise<FleetSummary> {
    const groups = await this.#session.query<{
      service: string;
      release: string;
      state: 'live' | 'silent' | 'ended';
      level: number;
      n: number;
      since: number;
      at: number;
    }>(
      `select service, release, level, count(*)::int as n, ${ms('min(started)')} as since, ${ms('now()')} as at,
         case when ended is not null then 'ended' when last_seen < now() - $1 * interval '1 millisecond' then 'silent' else 'live' end as state
       from plimsoll.process where last_seen > now() - $2 * interval '1 millisecond' group by service, release, level, state`,
      [this.#silentMs, withinMs],
    );
    const total = (wanted: (row: (typeof groups)[number]) => boolean): number =>
      groups.filter(wanted).reduce((sum, { n }) => sum + n, 0);
    const releases = new Map<
      string,
      { service: string; release: string; processes: number; since: number }
    >();
    for (const { service, release, n, since, state } of groups) {
      const key = JSON.stringify([service, release]);
      const known = releases.get(key) ?? { service, release, processes: 0, since };
      known.processes += state === 'live' ? n : 0;
      known.since = Math.min(known.since, since);
      releases.set(key, known);
    }
    return {
      at: groups[0]?.at ?? Date.now(),
      processes: total(() => true),
      live: total(({ state }) => state === 'live'),
      silent: total(({ state }) => state === 'silent'),
      ended: total(({ state }) => state === 'ended'),
      levels: Object.fromEntries(
        levels.map((name, i) => [name, total(({ state, level }) => state === 'live' && level === i)]),
      ) as FleetSummary['levels'],
      releases: [...releases.values()].sort((a, b) => b.since - a.since),
    };
  }

  /** The curve of one process: readings up to six hours, five minutes up to ten days, then hours. */
  async history(id: string, from: number, to: number): Promise<readonly FleetPoint[]> {
    const span = to - from;
    const table = span <= 6 * hour ? 'sample' : span <= 10 * day ? 'rollup' : 'rollup_hour';
    const fields = storedFields
      .filter(({ rollUp }) => table === 'sample' || rollUp !== null)
      .map(({ name, column, scale }) => `(s.${column} / ${scale}.0)::float8 as "${name}"`);
    const own =
      table === 'sample'
        ? `1 as n, s.used_bytes::float8 as low, s.used_bytes::float8 as high, s.used_bytes::float8 as mean,
           (s.used_bytes::float8 / nullif(s.limit_bytes, 0)) as pressure`
        : 's.n, s.low::float8 as low, s.high::float8 as high, s.total / s.n as mean, s.pressure::float8 as pressure';
    const rows = await this.#session.query<Raw<FleetPoint>>(
      `select ${ms('s.at')} as at, ${own}, s.level, ${fields.join(', ')} from plimsoll.${table} s
       where s.process_no = (select no from plimsoll.process where id = $1) and s.at >= to_timestamp($2::float8 / 1000) and s.at < to_timestamp($3::float8 / 1000)
       order by s.at limit 20000`,
      [id, from, to],
    );
    return rows.map(withLevel);
  }

  /** The heaviest scopes of one process at the end of a time, with the highest bytes of each. */
  scopes(id: string, from: number, to: number, limit = 50): Promise<readonly FleetScopeRow[]> {
    return this.#session.query<FleetScopeRow>(
      `select path, (array_agg(bytes order by at desc, bytes desc))[1]::float8 as bytes, max(bytes)::float8 as "peakBytes", ${ms('max(at)')} as at
       from plimsoll.scope_sample where process_no = (select no from plimsoll.process where id = $1)
         and batch_at >= to_timestamp($2::float8 / 1000) and batch_at < to_timestamp($3::float8 / 1000)
       group by path order by 2 desc limit $4`,
      [id, from, to, limit],
    );
  }

  /** Pressure over time of the most endangered processes: at most `columns` (240) columns and `limit` (200) rows. */
  async heat(from: number, to: number, options: FleetFilter & { columns?: number } = {}): Promise<HeatMap> {
    const columns = Math.min(240, Math.max(1, options.columns ?? 96));
    const [bucket, table] = heatTables.find(([ms]) => (to - from) / columns >= ms) ?? finest;
    const stepMs = Math.max(bucket, Math.ceil((to - from) / columns / bucket) * bucket);
    const start = Math.floor(from / stepMs) * stepMs;
    const width = Math.ceil((to - start) / stepMs);
    // Reads one process after the other by the primary key, because a join over all of them reads the whole partition.
    const rows = await this.#session.query<{
      id: string;
      host: string;
      release: string;
      slots: readonly number[] | null;
      pressures: readonly (number | null)[] | null;
      levels: readonly (number | null)[] | null;
    }>(
      `with chosen as (select p.no, p.id, p.host, p.release, row_number() over (${byDanger}) as rank from plimsoll.process p
         where p.last_seen > to_timestamp($1::float8 / 1000) and ($4::text is null or p.service = $4) and ($5::text is null or p.release = $5)
         ${byDanger} limit $6)
       select c.id, c.host, c.release, m.slots, m.pressures, m.levels from chosen c cross join lateral (
         select array_agg(slot) as slots, array_agg(pressure) as pressures, array_agg(level) as levels from (
           select floor((extract(epoch from r.at)::float8 * 1000 - $1::float8) / $3::float8)::int as slot,
             max(r.pressure)::float8 as pressure, max(r.level)::int as level
           from plimsoll.${table} r where r.process_no = c.no
             and r.at >= to_timestamp($1::float8 / 1000) and r.at < to_timestamp($2::float8 / 1000) group by 1) cells) m
       order by c.rank`,
      [
        start,
        to,
        stepMs,
        options.service ?? null,
        options.release ?? null,
        Math.min(options.limit ?? 100, 200),
      ],
    );
    return {
      from: start,
      stepMs,
      rows: rows.map(({ id, host, release, slots, pressures, levels: seen }) => ({
        id,
        host,
        release,
        cells: spread(width, slots, pressures),
        levels: spread(width, slots, seen),
      })),
    };
  }

  /** Findings of the fleet, newest first, each with its releases side by side. */
  findings(
    filter: { service?: string; sinceMs?: number; limit?: number } = {},
  ): Promise<readonly FleetFinding[]> {
    return findingQueries(this.#session).list(filter);
  }

  finding(service: string, fingerprint: string): Promise<FleetFinding | undefined> {
    return findingQueries(this.#session).one(service, fingerprint);
  }

  /** Open approvals by deadline, or those decided last. */
  approvals(
    filter: { state?: 'open' | 'decided'; processId?: string; limit?: number } = {},
  ): Promise<readonly FleetApproval[]> {
    const isOpen = filter.state === undefined ? null : filter.state === 'open';
    return this.#session.query<FleetApproval>(
      `select a.id, a.digest, a.quorum, (select coalesce(json_agg(json_build_object('by', v.voter, 'decision', v.decision, 'at', ${ms('v.at')},
           'origin', v.origin, 'comment', v.comment) order by v.at), '[]') from plimsoll.approval_vote v where v.approval_id = a.id) as votes,
         a.process_id as "processId", coalesce(p.service, '') as service, coalesce(p.host, '') as host, coalesce(p.release, '') as release,
         ${ms('a.asked')} as asked, ${ms('a.deadline')} as deadline, a.default_answer as "defaultAnswer", a.state, a.decided_by as "decidedBy",
         ${ms('a.decided_at')} as "decidedAt", a.decided_from as "decidedFrom", a.comment, a.applied, a.body
       from plimsoll.approval a left join plimsoll.process p on p.id = a.process_id
       where ($1::boolean is null or (a.state = 'open') = $1) and ($2::text is null or a.process_id = $2)
       order by (a.state = 'open') desc, case when a.state = 'open' then a.deadline end, a.decided_at desc nulls last limit $3`,
      [isOpen, filter.processId ?? null, Math.min(filter.limit ?? 200, 1000)],
    );
  }

  /** Audit entries of a process or of the fleet, newest first. */
  entries(
    filter: { processId?: string; kinds?: readonly string[]; before?: number; limit?: number } = {},
  ): Promise<readonly FleetEntry[]> {
    return this.#entries(
      `($1::text is null or e.process_id = $1) and ($2::text[] is null or e.kind = any($2::text[])) and ($3::bigint is null or e.at_ms < $3)`,
      [filter.processId ?? null, filter.kinds ?? null, filter.before ?? null],
      Math.min(filter.limit ?? 200, 1000),
    );
  }

  async #entries(where: string, values: readonly PgValue[], limit: number): Promise<readonly FleetEntry[]> {
    const rows = await this.#session.query<Omit<FleetEntry, 'body'> & { body: string }>(
      `select e.chain, e.seq::float8 as seq, e.process_id as "processId", e.at_ms::float8 as at, e.kind, e.scope, e.body from plimsoll.entry e
       where ${where} order by e.at_ms desc limit ${Math.floor(limit)}`,
      values,
    );
    return rows.map((row) => ({ ...row, body: JSON.parse(row.body) as FleetEntry['body'] }));
  }
}

function withLevel<T extends { level: unknown }>(row: Raw<T>): T {
  return { ...row, level: levels[row.level ?? 0] ?? 'normal' } as unknown as T;
}

function spread(
  width: number,
  slots: readonly number[] | null,
  values: readonly (number | null)[] | null,
): readonly (number | null)[] {
  const cells = Array.from<number | null>({ length: width }).fill(null);
  for (const [i, slot] of (slots ?? []).entries()) if (slot < width) cells[slot] = values?.[i] ?? null;
  return cells;
}
