import { createHash } from 'node:crypto';
import { failure } from '@plimsoll/core/internal/errors';
import { levels } from '@plimsoll/core/internal/level';
import type { Level } from '@plimsoll/core/internal/level';
import type { PgClient, PgSession } from './client.ts';

export type RolloutMode = 'shadow' | 'enforce';

/** One version of a service's policy. */
interface PolicyVersion {
  readonly version: number;
  readonly service: string;
  readonly text: string;
  readonly sha256: string;
  readonly by: string;
  readonly at: number;
}

/** A version without its text. */
export type PolicyVersionRow = Omit<PolicyVersion, 'text'>;

/** One step of a roll-out: from then on this share of processes runs this version in this mode. */
export interface PolicyStep {
  readonly version: number;
  readonly mode: RolloutMode;
  /** 0 to 1. */
  readonly share: number;
  readonly by: string;
  /** Machine or address of the operator. */
  readonly origin: string;
  readonly at: number;
}

/** The policy for one process; null when the fleet has none for it, so that its own file is in force. */
export interface AssignedPolicy {
  readonly version: number;
  readonly mode: RolloutMode;
  readonly text: string;
  readonly sha256: string;
}

/** Processes that run the same version in the same mode, side by side with the other groups. */
export interface PolicyGroup {
  /** Null: the policy of the process's own file. */
  readonly version: number | null;
  readonly mode: string | null;
  readonly live: number;
  readonly silent: number;
  /** Live processes by level. */
  readonly levels: Readonly<Record<Level, number>>;
  /** Processes that died since the step. A planned restart (exit code 75) does not count. */
  readonly deaths: number;
  /** Actions since the step that refused, throttled or ended work. */
  readonly shed: number;
  /** Mean pressure of the live processes; null without one. */
  readonly pressure: number | null;
}

export interface RolloutState {
  readonly service: string;
  /** Newest first. */
  readonly versions: readonly PolicyVersionRow[];
  /** Newest first. */
  readonly steps: readonly PolicyStep[];
  readonly groups: readonly PolicyGroup[];
}

const mostVersions = 20;
const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;
const stepColumns = `version::float8 as version, mode, share::float8 as share, by, origin, ${ms('at')} as at`;

/** True when a process is in a share. The same process is in every larger share, so a growing one only adds processes. */
export function isInShare(processKey: string, share: number): boolean {
  return createHash('sha256').update(processKey).digest().readUInt32BE(0) / 2 ** 32 < share;
}

/** The step for a process: the newest one when the process is in its share, else the newest earlier one for all processes. */
export function stepFor(steps: readonly PolicyStep[], processKey: string): PolicyStep | undefined {
  const [newest, ...older] = steps;
  if (newest === undefined || isInShare(processKey, newest.share)) return newest;
  return older.find(
    ({ mode, share, version }) => mode === 'enforce' && share >= 1 && version !== newest.version,
  );
}

/** The policies of a fleet: versions, roll-outs in steps, and the state of each group. */
export class FleetPolicies {
  readonly #client: PgClient;
  readonly #silentMs: number;

  constructor(client: PgClient, silentMs = 45_000) {
    this.#client = client;
    this.#silentMs = silentMs;
  }

  /** Stores a version; the same text of a service is stored once. It changes nothing until it is rolled out. */
  push(service: string, text: string, by: string, origin = ''): Promise<PolicyVersion> {
    const sha256 = createHash('sha256').update(text).digest('hex');
    return this.#client.transaction(async (session) => {
      await session.query("select pg_advisory_xact_lock(hashtext('plimsoll policy'), hashtext($1))", [
        service,
      ]);
      const [known] = await versions(session, 'service = $1 and sha256 = $2', [service, sha256]);
      if (known !== undefined) return known;
      await session.query(
        'insert into plimsoll.policy_version (service, text, sha256, by, origin) values ($1, $2, $3, $4, $5)',
        [service, text, sha256, by, origin.slice(0, 200)],
      );
      const [made] = await versions(session, 'service = $1 and sha256 = $2', [service, sha256]);
      return made as PolicyVersion;
    });
  }

  /** Takes the next step of a roll-out. A version has to have run in shadow before it is enforced, unless `isForced`. */
  async rollout(
    service: string,
    step: {
      readonly version: number;
      readonly mode: RolloutMode;
      readonly share: number;
      readonly by: string;
      readonly origin?: string | undefined;
    },
    isForced = false,
  ): Promise<PolicyStep> {
    const { version, mode, share, by, origin = '' } = step;
    const [found] = await versions(this.#client, 'service = $1 and version = $2', [service, version]);
    if (found === undefined) throw failure('PLM_FLEET_POLICY_UNKNOWN', { service, version });
    const wasTried = (await stepsOf(this.#client, service)).some((each) => each.version === version);
    if (mode === 'enforce' && !wasTried && !isForced)
      throw failure('PLM_FLEET_POLICY_UNTRIED', { service, version });
    const [made] = await this.#client.query<PolicyStep>(
      `insert into plimsoll.policy_step (service, version, mode, share, by, origin) values ($1, $2, $3, $4, $5, $6) returning ${stepColumns}`,
      [service, version, mode, share, by, origin.slice(0, 200)],
    );
    return made as PolicyStep;
  }

  /** The policy for a process. */
  async assigned(service: string, processKey: string): Promise<AssignedPolicy | null> {
    const step = stepFor(await stepsOf(this.#client, service), processKey);
    if (step === undefined) return null;
    const [found] = await versions(this.#client, 'service = $1 and version = $2', [service, step.version]);
    if (found === undefined) return null;
    return { version: step.version, mode: step.mode, text: found.text, sha256: found.sha256 };
  }

  versions(service: string): Promise<readonly PolicyVersion[]> {
    return versions(this.#client, 'service = $1', [service]);
  }

  /** Services that have a policy in the database. */
  async services(): Promise<readonly string[]> {
    const rows = await this.#client.query<{ service: string }>(
      'select distinct service from plimsoll.policy_version order by 1',
    );
    return rows.map(({ service }) => service);
  }

  /** The steps of a service and its groups side by side, counted since the newest step. */
  async state(service: string): Promise<RolloutState> {
    const steps = await stepsOf(this.#client, service);
    const since = steps[0]?.at ?? Date.now();
    const rows = await this.#client.query<GroupRow>(
      `with shed as (select process_id, count(*)::int as n from plimsoll.entry
         where kind = 'action' and at_ms >= $3::float8 and body::jsonb->>'outcome' = 'done'
           and body::jsonb->>'action' in ('admit.refuse', 'admit.throttle', 'scope.stop') group by 1)
       select p.policy_version::float8 as version, p.mode, p.level, count(*)::int as n, coalesce(sum(s.n), 0)::int as shed,
         avg(p.pressure)::float8 as pressure,
         case when p.ended is not null then case when p.outcome ~ '^(lost|died)' or (p.outcome ~ 'code [1-9]' and p.outcome !~ 'code 75$') then 'died' else 'ended' end
           when p.last_seen < now() - $2 * interval '1 millisecond' then 'silent' else 'live' end as state
       from plimsoll.process p left join shed s on s.process_id = p.id
       where p.service = $1 and p.last_seen >= to_timestamp($3::float8 / 1000) - interval '5 minutes'
       group by p.policy_version, p.mode, p.level, state`,
      [service, this.#silentMs, since],
    );
    const known = await this.versions(service);
    return {
      service,
      versions: known.slice(0, mostVersions).map(({ text: _, ...version }) => version),
      steps,
      groups: groupsOf(rows),
    };
  }
}

interface GroupRow {
  readonly version: number | null;
  readonly mode: string | null;
  readonly level: number;
  readonly n: number;
  readonly shed: number;
  readonly pressure: number | null;
  readonly state: 'live' | 'silent' | 'ended' | 'died';
}

function groupsOf(rows: readonly GroupRow[]): readonly PolicyGroup[] {
  const keys = new Map(rows.map((row) => [`${row.version} ${row.mode}`, row]));
  const groups = [...keys.values()].map(({ version, mode }): PolicyGroup => {
    const own = rows.filter((row) => row.version === version && row.mode === mode);
    const count = (is: (row: GroupRow) => boolean): number =>
      own.filter(is).reduce((sum, { n }) => sum + n, 0);
    const known = own.filter(({ state, pressure }) => state === 'live' && pressure !== null);
    const weight = known.reduce((sum, { n }) => sum + n, 0);
    return {
      version,
      mode,
      live: count(({ state }) => state === 'live'),
      silent: count(({ state }) => state === 'silent'),
      levels: Object.fromEntries(
        levels.map((name, i) => [name, count(({ state, level }) => state === 'live' && level === i)]),
      ) as PolicyGroup['levels'],
      deaths: count(({ state }) => state === 'died'),
      shed: own.reduce((sum, { shed }) => sum + shed, 0),
      pressure:
        weight === 0
          ? null
          : known.reduce((sum, { n, pressure }) => sum + n * (pressure as number), 0) / weight,
    };
  });
  return groups.sort((a, b) => (b.version ?? -1) - (a.version ?? -1));
}

function stepsOf(session: PgSession, service: string): Promise<readonly PolicyStep[]> {
  return session.query<PolicyStep>(
    `select ${stepColumns} from plimsoll.policy_step where service = $1 order by id desc limit 100`,
    [service],
  );
}

function versions(
  session: PgSession,
  where: string,
  values: readonly (string | number)[],
): Promise<readonly PolicyVersion[]> {
  return session.query<PolicyVersion>(
    `select version::float8 as version, service, text, sha256, by, ${ms('created')} as at from plimsoll.policy_version
     where ${where} order by version desc limit 100`,
    values,
  );
}
