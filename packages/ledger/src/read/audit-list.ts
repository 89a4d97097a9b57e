import type { ChainedEntry } from '../audit-entry.ts';
import type { Database, SQLInputValue } from '../sqlite/database.ts';

/** Selects audit entries. A missing field matches all. */
export interface AuditFilter {
  readonly kinds?: readonly string[] | undefined;
  /** This scope path and everything below it. */
  readonly scope?: string | undefined;
  readonly run?: number | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Only entries after this number. The limit then keeps the oldest of them. */
  readonly after?: number | undefined;
  /** Most entries. Without `after` the newest ones are kept. Default 10,000. */
  readonly limit?: number | undefined;
}

/** An entry with its body read back. */
export interface AuditRecord extends Omit<ChainedEntry, 'body'> {
  readonly body: Readonly<Record<string, unknown>>;
}

/** The entries that match, oldest first. */
export function listAudit(db: Database, filter: AuditFilter): AuditRecord[] {
  const values: SQLInputValue[] = [];
  const where: string[] = [];
  const add = (sql: string, ...items: readonly SQLInputValue[]): void => {
    where.push(sql);
    values.push(...items);
  };
  if (filter.kinds !== undefined) add(`kind IN (${filter.kinds.map(() => '?').join(', ')})`, ...filter.kinds);
  if (filter.scope !== undefined) {
    add(
      "(scope = ? OR substr(scope, 1, length(?) + 1) = ? || '/')",
      filter.scope,
      filter.scope,
      filter.scope,
    );
  }
  if (filter.run !== undefined) add('run = ?', filter.run);
  if (filter.since !== undefined) add('at >= ?', filter.since);
  if (filter.until !== undefined) add('at < ?', filter.until);
  if (filter.after !== undefined) add('seq > ?', filter.after);
  const forward = filter.after !== undefined;
  const rows = db.all<ChainedEntry>(
    `SELECT seq, run, n, at, kind, scope, body, hash FROM audit ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
     ORDER BY seq ${forward ? 'ASC' : 'DESC'} LIMIT ?`,
    ...values,
    filter.limit ?? 10_000,
  );
  return (forward ? rows : rows.toReversed()).map(record);
}

function record(row: ChainedEntry): AuditRecord {
  return { ...row, body: bodyOf(row.body) };
}

/** A damaged body is shown as text. `verify` reports it. */
function bodyOf(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  } catch {
    // It is shown as text.
  }
  return { malformed: text.slice(0, 200) };
}
