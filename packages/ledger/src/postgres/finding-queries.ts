import type { PgSession } from './client.ts';
import type { FindingRelease, FleetFinding } from './fleet-rows.ts';

const day = 86_400_000;
const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

type Group = Omit<FleetFinding, 'releases' | 'sentence' | 'of' | 'told'> & {
  readonly toldAt: number | null;
  readonly toldBy: string | null;
};
type ReleaseGroup = Omit<FindingRelease, 'of' | 'rolledOut'> & { service: string; fingerprint: string };
interface Release {
  readonly service: string;
  readonly release: string;
  readonly of: number;
  readonly rolledOut: number;
  readonly lastSeen: number;
}

interface FindingFilter {
  readonly service?: string | undefined;
  /** Only findings seen within the last `sinceMs` milliseconds. Default 30 days. */
  readonly sinceMs?: number | undefined;
  readonly limit?: number | undefined;
}

/** Reads of findings over processes, hosts and releases. */
export function findingQueries(session: PgSession): {
  list(filter: FindingFilter): Promise<readonly FleetFinding[]>;
  one(service: string, fingerprint: string): Promise<FleetFinding | undefined>;
} {
  const read = async (
    filter: FindingFilter,
    fingerprint: string | null,
  ): Promise<readonly FleetFinding[]> => {
    const groups = await session.query<Group>(
      `with kept as (select f.service, f.fingerprint, (array_agg(f.process_id order by f.last_seen desc))[1] as newest,
           ${ms('min(f.first_seen)')} as "firstSeen", ${ms('max(f.last_seen)')} as "lastSeen", count(*)::int as processes,
           count(distinct f.host)::int as hosts, sum(f.count)::float8 as count, sum(f.bytes)::float8 as bytes
         from plimsoll.finding f where f.last_seen > now() - $1 * interval '1 millisecond' and ($2::text is null or f.service = $2)
           and ($3::text is null or f.fingerprint = $3) group by f.service, f.fingerprint order by max(f.last_seen) desc limit $4)
       select k.service, k.fingerprint, k."firstSeen", k."lastSeen", k.processes, k.hosts, k.count, k.bytes, n.kind, n.severity, n.headline, n.fix,
         n.scope, n.site, ${ms('t.told')} as "toldAt", t.told_by as "toldBy"
       from kept k join plimsoll.finding n on n.fingerprint = k.fingerprint and n.process_id = k.newest
       left join plimsoll.fleet_finding t on t.service = k.service and t.fingerprint = k.fingerprint order by k."lastSeen" desc`,
      [filter.sinceMs ?? 30 * day, filter.service ?? null, fingerprint, Math.min(filter.limit ?? 100, 500)],
    );
    if (groups.length === 0) return [];
    const fingerprints = [...new Set(groups.map((group) => group.fingerprint))];
    const services = [...new Set(groups.map((group) => group.service))];
    const byRelease = await session.query<ReleaseGroup>(
      `select service, fingerprint, release, count(*)::int as processes, ${ms('min(first_seen)')} as "firstSeen", sum(bytes)::float8 as bytes,
         percentile_cont(0.5) within group (order by rate) as rate
       from plimsoll.finding where fingerprint = any($1::text[]) and service = any($2::text[]) group by 1, 2, 3`,
      [fingerprints, services],
    );
    const releases = await session.query<Release>(
      `select service, release, count(*)::int as of, ${ms('min(started)')} as "rolledOut", ${ms('max(last_seen)')} as "lastSeen"
       from plimsoll.process where service = any($1::text[]) group by 1, 2 order by 4 desc`,
      [services],
    );
    return groups.map((group) => whole(group, byRelease, releases));
  };
  return {
    list: (filter) => read(filter, null),
    one: async (service, fingerprint) => (await read({ service, sinceMs: 3650 * day }, fingerprint))[0],
  };
}

/** Most releases per finding: those that have it, and those that ran just before and after. */
const mostReleases = 8;

function whole(group: Group, found: readonly ReleaseGroup[], all: readonly Release[]): FleetFinding {
  const { toldAt, toldBy, ...rest } = group;
  const releases = all
    .filter(({ service }) => service === group.service)
    .map(({ release, of, rolledOut }): FindingRelease => {
      const own = found.find(
        (row) =>
          row.service === group.service && row.fingerprint === group.fingerprint && row.release === release,
      );
      return {
        release,
        of,
        rolledOut,
        processes: own?.processes ?? 0,
        firstSeen: own?.firstSeen ?? null,
        bytes: own?.bytes ?? 0,
        rate: own?.rate ?? null,
      };
    })
    .slice(0, mostReleases);
  const of = all
    .filter(({ service, lastSeen }) => service === group.service && lastSeen >= group.firstSeen)
    .reduce((sum, release) => sum + release.of, 0);
  const told = toldAt === null ? null : { at: toldAt, by: toldBy ?? '' };
  return {
    ...rest,
    releases,
    of: Math.max(of, group.processes),
    told,
    sentence: sentenceOf(group.processes, of, releases),
  };
}

/**
 * Where a finding is, in words: "in 37 of 40 processes, first seen 12 minutes after 1.4.2 was rolled out, not in 1.4.1". A release without
 * it is only named when it ran before the first one that has it, because a new release may still show it later.
 */
export function sentenceOf(processes: number, of: number, releases: readonly FindingRelease[]): string {
  const where = `in ${processes} of ${Math.max(of, processes)} ${of === 1 ? 'process' : 'processes'}`;
  const byAge = [...releases].sort((a, b) => a.rolledOut - b.rolledOut);
  const at = byAge.findIndex((release) => release.processes > 0);
  const first = byAge[at];
  if (first?.firstSeen === undefined || first.firstSeen === null) return where;
  const after = `first seen ${inWords(Math.max(0, first.firstSeen - first.rolledOut))} after ${first.release} was rolled out`;
  const before = byAge[at - 1];
  const gone = byAge.at(-1);
  const notIn = before === undefined ? '' : `, not in ${before.release}`;
  const goneIn =
    gone === undefined || gone === first || gone.processes > 0 || gone === before
      ? ''
      : `, not seen in ${gone.release} so far`;
  return `${where}, ${after}${notIn}${goneIn}`;
}

const units: readonly (readonly [number, string])[] = [
  [day, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
];

function inWords(span: number): string {
  const [unit, name] = units.find(([length]) => span >= length) ?? [1000, 'second'];
  const n = Math.round(span / unit);
  return `${n} ${name}${n === 1 ? '' : 's'}`;
}
