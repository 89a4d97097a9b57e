import type { ChainedEntry } from '../audit-entry.ts';
import type { ChainHead } from '../sqlite/audit-store.ts';
import { isInChain } from '../sqlite/chain-check.ts';
import type { Database } from '../sqlite/database.ts';
import type { PgClient, PgSession } from './client.ts';
import type { FleetFirst } from './fleet-options.ts';
import { storable } from './ship-samples.ts';
import type { ChainCursor, SpooledLife } from './spool.ts';

const addEntries = `insert into plimsoll.entry (chain, seq, process_id, run, n, at_ms, kind, scope, body, hash)
  select $1, seq, process, run, n, at, kind, scope, body, hash from json_to_recordset($2::json)
    as e (seq bigint, process text, run bigint, n bigint, at bigint, kind text, scope text, body text, hash text) order by seq`;

interface AuditShipment {
  readonly cursor: ChainCursor;
  readonly host: string;
  readonly skewMs: number;
  /**
   * The life that an entry is about: the one with its run, else the one with the process id in the entry. An entry of a supervisor or a
   * later life has a run of its own.
   */
  readonly lifeOf: (entry: {
    readonly run: number;
    readonly pid: number | undefined;
    readonly at: number;
  }) => SpooledLife | undefined;
  readonly most: number;
}

interface AuditResult {
  /** True when the database has another chain under this id. */
  readonly isForked: boolean;
  /** The newest entry that the database has. */
  readonly seq: number;
  readonly sent: number;
  readonly findings: readonly FleetFirst[];
}

type LocalEntry = ChainedEntry;

/**
 * Sends the entries after those that the database has, in one transaction. The row of the chain holds the head that is stored and is locked
 * meanwhile, so that every entry is stored once and in order, even after failures and repeats. The rows of findings, approvals and exits in
 * other tables are written in the same transaction.
 */
export function shipAudit(client: PgClient, db: Database, shipment: AuditShipment): Promise<AuditResult> {
  const { cursor, host, most } = shipment;
  const anchor = db.get('SELECT seq, hash FROM anchor') as unknown as ChainHead;
  return client.transaction(async (session) => {
    await session.query(
      `insert into plimsoll.chain (id, host, head_seq, head_hash, base_seq, base_hash, forked_from) values ($1, $2, $3, $4, $3, $4, $5)
       on conflict (id) do nothing`,
      [cursor.id, host, anchor.seq, anchor.hash, cursor.forked],
    );
    const [head] = await session.query<ChainHead>(
      'select head_seq::float8 as seq, head_hash as hash from plimsoll.chain where id = $1 for update',
      [cursor.id],
    );
    const known = head as ChainHead;
    if (!isSame(db, anchor, known)) return { isForked: true, seq: 0, sent: 0, findings: [] };
    const entries = db.all<LocalEntry>(
      'SELECT seq, run, n, at, kind, scope, body, hash FROM audit WHERE seq > ? ORDER BY seq LIMIT ?',
      known.seq,
      most,
    );
    const last = entries.at(-1);
    if (last === undefined) return { isForked: false, seq: known.seq, sent: 0, findings: [] };
    await session.query(addEntries, [
      cursor.id,
      JSON.stringify(entries.map((entry) => sent(entry, shipment))),
    ]);
    await session.query('update plimsoll.chain set head_seq = $2, head_hash = $3 where id = $1', [
      cursor.id,
      last.seq,
      last.hash,
    ]);
    const findings = await applyEntries(session, entries, shipment);
    return { isForked: false, seq: last.seq, sent: entries.length, findings };
  });
}

/** Whether the local chain continues the one in the database. It does not after a restored backup, a copied folder or a new file. */
function isSame(db: Database, anchor: ChainHead, known: ChainHead): boolean {
  if (known.seq < anchor.seq) return false;
  return isInChain(db, known);
}

function sent(entry: LocalEntry, { lifeOf, host }: AuditShipment): object {
  const { kind, scope, ...rest } = entry;
  const process = lifeOf(ownerOf(entry))?.process ?? `${host}-${entry.run.toString(36)}`;
  return { ...rest, kind: storable(kind), scope: storable(scope), process };
}

async function applyEntries(
  session: PgSession,
  entries: readonly LocalEntry[],
  shipment: AuditShipment,
): Promise<readonly FleetFirst[]> {
  const findings: FleetFirst[] = [];
  for (const entry of entries) {
    const body = bodyOf(entry);
    const life = shipment.lifeOf(ownerOf(entry, body));
    if (life === undefined) continue;
    if (entry.kind === 'finding') {
      const first = await applyFinding(session, entry, body, life, shipment.skewMs);
      if (first !== undefined) findings.push(first);
    } else if (entry.kind === 'approval') await applyApproval(session, entry, body, life, shipment.skewMs);
    else if (entry.kind === 'exit') await applyExit(session, body, life, entry.at - shipment.skewMs);
  }
  return findings;
}

/** Entries about another process than the one that wrote them. */
const aboutOthers = new Set(['black-box', 'autopsy']);

function ownerOf(
  entry: LocalEntry,
  body: Body = bodyOf(entry),
): { readonly run: number; readonly pid: number | undefined; readonly at: number } {
  const { pid, at } = body;
  const named = typeof pid === 'number' ? pid : undefined;
  // A later process ships the box of an earlier one and may have the same process id. The start time in the entry distinguishes them.
  if (aboutOthers.has(entry.kind) && named !== undefined)
    return { run: -1, pid: named, at: typeof at === 'number' ? at : entry.at };
  return { run: entry.run, pid: named, at: entry.at };
}

type Body = Readonly<Record<string, unknown>>;

function bodyOf({ body }: LocalEntry): Body {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Body) : {};
  } catch {
    return {};
  }
}

/** Stores a finding. The first process of a service that inserts it sends its alert. */
async function applyFinding(
  session: PgSession,
  entry: LocalEntry,
  body: Body,
  life: SpooledLife,
  skewMs: number,
): Promise<FleetFirst | undefined> {
  const fingerprint = textOf(body['fingerprint']);
  if (fingerprint === '') return undefined;
  const { service, release, host } = life.identity;
  const severity = textOf(body['severity']) || 'info';
  await session.query(
    `insert into plimsoll.finding (fingerprint, process_id, service, release, host, kind, severity, scope, headline, fix, site, first_seen, last_seen,
       count, bytes, rate) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, to_timestamp($12::float8 / 1000), to_timestamp($13::float8 / 1000), $14, $15, $16)
     on conflict (fingerprint, process_id) do update set kind = excluded.kind, severity = excluded.severity, headline = excluded.headline,
       fix = excluded.fix, site = coalesce(excluded.site, plimsoll.finding.site), last_seen = excluded.last_seen, count = excluded.count,
       bytes = excluded.bytes, rate = coalesce(excluded.rate, plimsoll.finding.rate)`,
    [
      fingerprint,
      life.process,
      service,
      release,
      host,
      textOf(body['kind']),
      severity,
      storable(entry.scope),
      textOf(body['message']),
      textOf(body['fix']),
      textOf(body['site']) || null,
      numberOf(body['firstSeen'], entry.at) - skewMs,
      entry.at - skewMs,
      Math.round(numberOf(body['count'], 1)),
      Math.round(numberOf(body['bytes'], 0)),
      typeof body['rate'] === 'number' ? body['rate'] : null,
    ],
  );
  if (severity !== 'high' && severity !== 'critical' && severity !== 'medium') return undefined;
  const inserted = await session.query(
    `insert into plimsoll.fleet_finding (service, fingerprint, first_process, first_release, severity, told, told_by)
     values ($1, $2, $3, $4, $5, now(), $3) on conflict do nothing returning fingerprint`,
    [service, fingerprint, life.process, release, severity],
  );
  if (inserted.length > 0) return { fingerprint, isFirst: true };
  const [teller] = await session.query<{ by: string | null }>(
    'select told_by as by from plimsoll.fleet_finding where service = $1 and fingerprint = $2',
    [service, fingerprint],
  );
  return { fingerprint, isFirst: teller?.by === life.process };
}

/** Approvals of the desk of a process; the id includes the run, because each desk numbers its tickets itself. */
export function fleetApprovalId(id: string, run: number): string {
  return `${id}-${run.toString(36)}`;
}

async function applyApproval(
  session: PgSession,
  entry: LocalEntry,
  body: Body,
  life: SpooledLife,
  skewMs: number,
): Promise<void> {
  const id = textOf(body['id']);
  const state = textOf(body['state']);
  if (id === '' || state === '') return;
  const { host, service, release } = life.identity;
  const shown = { ...body, scope: storable(entry.scope), host, service, release };
  const own = fleetApprovalId(id, entry.run);
  await session.query(
    `insert into plimsoll.approval (id, process_id, asked, deadline, default_answer, digest, quorum, body)
     values ($1, $2, to_timestamp($3::float8 / 1000), to_timestamp($4::float8 / 1000), $5, $6, $7, $8::jsonb) on conflict (id) do nothing`,
    [
      own,
      life.process,
      numberOf(body['openedAt'], entry.at) - skewMs,
      numberOf(body['deadlineAt'], entry.at) - skewMs,
      textOf(body['onExpiry']) === 'proceed' ? 'approve' : 'deny',
      textOf(body['digest']),
      Math.max(1, Math.round(numberOf(body['quorum'], 1))),
      JSON.stringify(shown).replaceAll('\\u0000', '\\ufffd'),
    ],
  );
  await session.query(
    `update plimsoll.approval set applied = nullif($2, 'open'), applied_at = case when $2 = 'open' then null else now() end, body = $3::jsonb,
       state = case when state = 'open' and $2 <> 'open' then $2 else state end where id = $1`,
    [own, state, JSON.stringify(shown).replaceAll('\\u0000', '\\ufffd')],
  );
  await session.query("select pg_notify('plimsoll_approval', $1)", [own]);
}

async function applyExit(session: PgSession, body: Body, life: SpooledLife, at: number): Promise<void> {
  const code = body['code'];
  const said = [textOf(body['reason']), typeof code === 'number' ? `code ${code}` : '']
    .filter((part) => part !== '')
    .join(', ');
  const outcome = body['isDeath'] === true ? `died: ${said}` : said;
  await session.query(
    'update plimsoll.process set ended = to_timestamp($2::float8 / 1000), outcome = $3, last_seen = now() where id = $1 and token = $4',
    [life.process, at, outcome, life.token],
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? storable(value) : '';
}

function numberOf(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}
