import { hostname } from 'node:os';
import { failure } from '@plimsoll/core/internal/errors';
import { userName } from '@plimsoll/core/internal/user-name';
import type { ApprovalState } from '@plimsoll/core/internal/gate/approval';
import type { PgClient, PgSession } from './client.ts';

/** Answers are accepted until this time before the deadline, because the process needs a moment to fetch them. Milliseconds. */
const marginMs = 1000;

/** A decision of an operator. The caller has checked the operator, by the database login or by the roles of the page. */
export interface FleetDecision {
  readonly id: string;
  /** The digest that the operator saw, or at least its first eight characters. */
  readonly digest?: string | undefined;
  readonly decision: 'approve' | 'deny';
  /** `user:NAME` or `agent:NAME`. */
  readonly by: string;
  readonly groups: readonly string[];
  readonly isOwner: boolean;
  /** Channel of the decision, such as `cli` or `http`. */
  readonly channel: string;
  /** Machine or address of the operator. */
  readonly origin: string;
  readonly comment?: string | undefined;
  /** The same decision with the same key counts once. */
  readonly key: string;
}

export interface FleetDecided {
  readonly id: string;
  readonly state: ApprovalState;
  readonly votes: number;
  readonly quorum: number;
  /** True when the same decision was taken before, so that nothing changed. */
  readonly replayed: boolean;
}

/** The approval as its process requested it, for checking the decider. */
export type AskedApproval = Readonly<Record<string, unknown>>;

interface LockedRow {
  readonly id: string;
  readonly digest: string;
  readonly state: ApprovalState;
  readonly applied: ApprovalState | null;
  readonly quorum: number;
  readonly body: AskedApproval;
  readonly isLate: boolean;
}

/**
 * Takes a decision. The row of the approval is locked, so that one of several deciders is first and the others learn its decision. A
 * decision that is repeated with its key, because its answer got lost, changes nothing. `check` throws when the decider may not decide.
 */
export function decideApproval(
  client: PgClient,
  input: FleetDecision,
  check: (asked: AskedApproval) => void = () => undefined,
): Promise<FleetDecided> {
  return client.transaction(async (session) => {
    const row = await lock(session, input.id);
    if (input.digest !== undefined && (input.digest.length < 8 || !row.digest.startsWith(input.digest)))
      throw failure('PLM_APPROVAL_DIGEST', { id: row.id });
    check(row.body);
    const votes = await session.query<{ voter: string; decision: string; key: string }>(
      'select voter, decision, key from plimsoll.approval_vote where approval_id = $1',
      [row.id],
    );
    const answer = (state: ApprovalState, replayed: boolean, n = votes.length): FleetDecided => ({
      id: row.id,
      state,
      votes: n,
      quorum: row.quorum,
      replayed,
    });
    const own = votes.find(({ voter, key }) => key === input.key || voter === input.by);
    if (own?.decision === input.decision && own.voter === input.by) return answer(row.state, true);
    const state = row.applied ?? row.state;
    if (state !== 'open') throw failure('PLM_APPROVAL_DECIDED', { id: row.id, state });
    if (row.isLate) throw failure('PLM_APPROVAL_DECIDED', { id: row.id, state: 'expired' });
    await addVote(session, row.id, input);
    const approvals =
      votes.filter(({ decision, voter }) => decision === 'approve' && voter !== input.by).length + 1;
    const next = input.decision === 'deny' ? 'denied' : approvals >= row.quorum ? 'approved' : 'open';
    if (next !== 'open')
      await session.query(
        'update plimsoll.approval set state = $2, decided_by = $3, decided_at = now(), decided_from = $4, comment = $5 where id = $1',
        [row.id, next, input.by, input.origin, input.comment ?? ''],
      );
    await session.query("select pg_notify('plimsoll_approval', $1)", [row.id]);
    return answer(next, false, votes.length + 1);
  });
}

/** The approval with this id or beginning of an id, locked until the transaction ends. */
async function lock(session: PgSession, id: string): Promise<LockedRow> {
  const rows = await session.query<LockedRow>(
    `select id, digest, state, applied, quorum, body, deadline <= now() + $2 * interval '1 millisecond' as "isLate" from plimsoll.approval
     where id = $1 or ($3 and left(id, length($1)) = $1) order by (id = $1) desc, (state = 'open') desc, asked desc limit 2 for update`,
    [id, marginMs, id.length >= 4],
  );
  const [first, second] = rows;
  const isOne = first !== undefined && (second === undefined || first.id === id || second.state !== 'open');
  if (!isOne) throw failure('PLM_APPROVAL_UNKNOWN', { id: id.slice(0, 100) });
  return first;
}

async function addVote(session: PgSession, id: string, input: FleetDecision): Promise<void> {
  await session.query(
    `insert into plimsoll.approval_vote (approval_id, voter, decision, origin, channel, comment, key, groups, is_owner)
     values ($1, $2, $3, $4, $5, $6, $7, array(select json_array_elements_text($8::json)), $9)
     on conflict (approval_id, voter) do update set decision = excluded.decision, at = now(), origin = excluded.origin, channel = excluded.channel,
       comment = excluded.comment, key = excluded.key, groups = excluded.groups, is_owner = excluded.is_owner`,
    [
      id,
      input.by,
      input.decision,
      input.origin.slice(0, 200),
      input.channel.slice(0, 40),
      (input.comment ?? '').slice(0, 1000),
      input.key.slice(0, 200),
      JSON.stringify(input.groups),
      input.isOwner,
    ],
  );
}

/**
 * The caller by the database: login, roles, and whether the login owns the schema. Several people may share a login, so the origin names
 * the user of the machine.
 */
export async function databaseUser(
  session: PgSession,
): Promise<Pick<FleetDecision, 'by' | 'groups' | 'isOwner' | 'origin'>> {
  const [row] = await session.query<{
    by: string;
    groups: readonly string[];
    isOwner: boolean;
    address: string | null;
  }>(
    `select 'user:' || session_user as by, (select coalesce(json_agg(rolname), '[]') from pg_roles where rolname <> session_user
         and rolname not like 'pg\\_%' and pg_has_role(session_user, oid, 'member')) as groups,
       pg_has_role(session_user, (select nspowner from pg_namespace where nspname = 'plimsoll'), 'member') as "isOwner",
       host(inet_client_addr()) as address`,
  );
  const { by, groups, isOwner, address } = row ?? { by: 'user:', groups: [], isOwner: false, address: null };
  return {
    by,
    groups,
    isOwner,
    origin: `${userName('unknown')}@${hostname()}${address === null ? '' : ` (${address})`}`,
  };
}
