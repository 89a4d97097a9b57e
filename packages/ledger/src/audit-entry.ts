import { createHash } from 'node:crypto';

/** Kind of an audit entry. Other words are accepted, so that a rule can record its own kind. */
type AuditKind =
  | 'start'
  | 'exit'
  | 'level'
  | 'finding'
  | 'action'
  | 'approval'
  | 'policy'
  | 'fault'
  | 'ledger';

/** Any JSON value. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
type AuditBody = { readonly [key: string]: Json | undefined };

/**
 * One fact for the audit. The fields of `body` that `plimsoll ledger summary` reads:
 * start `{ pid, node, command, limit, limitSource, mode, policy }`, exit `{ code, signal, reason }`,
 * level `{ from, to, usedBytes, limit }`, finding `{ id, kind, severity, bytes, message, fix }`,
 * action `{ action, outcome, freedBytes }`, approval `{ id, action, state, by }`, policy `{ file, revision, event }`.
 */
export interface AuditEntry {
  readonly kind: AuditKind | (string & {});
  /** Milliseconds since the epoch; now when left out. */
  readonly at?: number;
  /** Scope path; `process` when left out. */
  readonly scope?: string;
  readonly body?: AuditBody;
}

/** An entry on its way to the file. `run` and `n` name it for ever, so that writing it twice stores it once. */
export interface PendingEntry {
  readonly run: number;
  readonly n: number;
  readonly at: number;
  readonly kind: string;
  readonly scope: string;
  /** Canonical JSON. */
  readonly body: string;
}

/** A stored entry with its place in the chain. */
export interface ChainedEntry extends PendingEntry {
  readonly seq: number;
  /** sha256 of the row before it and this row, lower-case hex. */
  readonly hash: string;
}

/** The hash before the first row of a chain. */
export const genesis = '0'.repeat(64);

/** JSON with sorted keys and without undefined fields: the same value gives the same text in every process. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : typeof item === 'bigint'
        ? String(item)
        : item,
  );
}

/** sha256 over the previous hash and every stored field of the row. */
export function chainHash(previous: string, row: Omit<ChainedEntry, 'hash'>): string {
  const text = JSON.stringify([row.seq, row.run, row.n, row.at, row.kind, row.scope, row.body]);
  return createHash('sha256').update(`${previous}|${text}`).digest('hex');
}
