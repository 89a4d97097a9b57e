import { chainHash } from '../audit-entry.ts';
import type { ChainedEntry } from '../audit-entry.ts';
import { guards } from './audit-store.ts';
import type { ChainHead } from './audit-store.ts';
import type { Database } from './database.ts';

/**
 * Faults of a chain.
 * - `edited`: a row does not match its hash.
 * - `missing`: rows between two others are gone.
 * - `cut`: the newest rows are gone.
 * - `emptied`: all rows are gone.
 * - `rewritten`: the chain is whole but differs from the one that was seen before.
 * - `unguarded`: the triggers that refuse changes are gone.
 * - `malformed`: a body is not a JSON object.
 */
type ChainFault = 'edited' | 'missing' | 'cut' | 'emptied' | 'rewritten' | 'unguarded' | 'malformed';

/** Whether the chain is whole, and where it breaks if not. */
export interface ChainCheck {
  readonly ok: boolean;
  readonly rows: number;
  readonly head: ChainHead;
  /** Entries up to this one were removed by retention; 0 when none were. */
  readonly prunedUpTo: number;
  /** Number of heads, kept elsewhere, that the chain was compared with. */
  readonly anchors: number;
  /** The first faulty row and its fault. */
  readonly broken?: { readonly seq: number; readonly why: ChainFault };
}

/**
 * Walks the chain from its anchor, recomputes every hash, and compares it with heads that were kept elsewhere: in samples.db, in a file or
 * by a webhook. Without such heads the end of a chain could be cut off unnoticed.
 */
export function checkChain(db: Database, anchors: readonly ChainHead[] = []): ChainCheck {
  const start = db.get('SELECT seq, hash FROM anchor') as unknown as ChainHead;
  const wanted = new Set(anchors.map(({ seq }) => seq));
  const hashes = new Map([[start.seq, start.hash]]);
  let head: ChainHead = { seq: start.seq, hash: start.hash };
  let rows = 0;
  const found = (broken?: ChainCheck['broken']): ChainCheck => ({
    ok: broken === undefined,
    rows,
    head,
    prunedUpTo: start.seq,
    anchors: anchors.length,
    ...(broken !== undefined && { broken }),
  });
  const walk = db.prepare('SELECT seq, run, n, at, kind, scope, body, hash FROM audit ORDER BY seq');
  for (const item of walk.iterate()) {
    const row = item as unknown as ChainedEntry;
    const why = faultOf(row, head);
    if (why !== undefined) return found({ seq: row.seq, why });
    rows++;
    head = { seq: row.seq, hash: row.hash };
    if (wanted.has(row.seq)) hashes.set(row.seq, row.hash);
  }
  for (const { seq, hash } of anchors) {
    if (seq < start.seq) continue;
    if (seq > head.seq) return found({ seq: head.seq + 1, why: rows === 0 ? 'emptied' : 'cut' });
    if (hashes.get(seq) !== hash) return found({ seq, why: 'rewritten' });
  }
  return isGuarded(db) ? found() : found({ seq: head.seq, why: 'unguarded' });
}

/** True when the chain has the entry of a head, or removed it by retention. */
export function isInChain(db: Database, { seq, hash }: ChainHead): boolean {
  const anchor = db.get('SELECT seq, hash FROM anchor') as unknown as ChainHead;
  if (seq < anchor.seq) return true;
  if (seq === anchor.seq) return hash === anchor.hash;
  return db.get('SELECT hash FROM audit WHERE seq = ?', seq)?.['hash'] === hash;
}

function faultOf(row: ChainedEntry, before: ChainHead): ChainFault | undefined {
  if (row.seq !== before.seq + 1) return 'missing';
  if (chainHash(before.hash, row) !== row.hash) return 'edited';
  try {
    const body: unknown = JSON.parse(row.body);
    return typeof body === 'object' && body !== null ? undefined : 'malformed';
  } catch {
    return 'malformed';
  }
}

function isGuarded(db: Database): boolean {
  const found = db.all<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE type = 'trigger'");
  const texts = new Set(found.map(({ sql }) => sql));
  return guards.every((guard) => texts.has(guard));
}
