import { chainHash } from '../audit-entry.ts';
import type { ChainHead } from '../sqlite/audit-store.ts';
import type { ChainCheck } from '../sqlite/chain-check.ts';
import type { PgSession } from './client.ts';

const page = 5000;

/** A chain of the fleet and whether it is whole. */
interface FleetChainCheck extends ChainCheck {
  readonly chain: string;
  readonly host: string;
}

interface StoredEntry {
  readonly seq: number;
  readonly run: number;
  readonly n: number;
  readonly at: number;
  readonly kind: string;
  readonly scope: string;
  readonly body: string;
  readonly hash: string;
}

/** Walks every chain of the database, or one, from the last entry that retention dropped, and recomputes every hash, as for audit.db. */
export async function verifyChains(session: PgSession, only?: string): Promise<readonly FleetChainCheck[]> {
  const chains = await session.query<
    { id: string; host: string } & Record<'baseSeq' | 'headSeq', number> &
      Record<'baseHash' | 'headHash', string>
  >(
    `select id, host, base_seq::float8 as "baseSeq", base_hash as "baseHash", head_seq::float8 as "headSeq", head_hash as "headHash"
     from plimsoll.chain where $1::text is null or id = $1 order by first_seen, id`,
    [only ?? null],
  );
  const checks: FleetChainCheck[] = [];
  for (const { id, host, baseSeq, baseHash, headSeq, headHash } of chains) {
    const check = await walk(session, id, { seq: baseSeq, hash: baseHash }, { seq: headSeq, hash: headHash });
    checks.push({ chain: id, host, ...check });
  }
  return checks;
}

async function walk(
  session: PgSession,
  chain: string,
  base: ChainHead,
  head: ChainHead,
): Promise<ChainCheck> {
  let last = base;
  let rows = 0;
  const found = (broken?: ChainCheck['broken']): ChainCheck => ({
    ok: broken === undefined,
    rows,
    head: last,
    prunedUpTo: base.seq,
    anchors: 1,
    ...(broken !== undefined && { broken }),
  });
  for (;;) {
    const entries = await session.query<StoredEntry>(
      `select seq::float8 as seq, run::float8 as run, n::float8 as n, at_ms::float8 as at, kind, scope, body, hash from plimsoll.entry
       where chain = $1 and seq > $2 order by seq limit ${page}`,
      [chain, last.seq],
    );
    for (const entry of entries) {
      if (entry.seq !== last.seq + 1) return found({ seq: entry.seq, why: 'missing' });
      if (chainHash(last.hash, entry) !== entry.hash) return found({ seq: entry.seq, why: 'edited' });
      last = { seq: entry.seq, hash: entry.hash };
      rows++;
    }
    if (entries.length < page) break;
  }
  if (last.seq < head.seq) return found({ seq: last.seq + 1, why: rows === 0 ? 'emptied' : 'cut' });
  return last.hash === head.hash ? found() : found({ seq: last.seq, why: 'rewritten' });
}
