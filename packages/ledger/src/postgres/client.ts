import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { failure } from '@plimsoll/core/internal/errors';
import type { Options, PostgresType, Sql } from 'postgres';
import { redactUrl, redactor } from './redact.ts';

/** A value of a statement. Arrays are sent as PostgreSQL arrays when the statement casts the parameter. */
export type PgValue = string | number | bigint | boolean | null | Date | Uint8Array | readonly PgValue[];
export type PgRow = Readonly<Record<string, unknown>>;

/** What statements are sent through: the database itself, or a transaction on it. */
export interface PgSession {
  query<T = PgRow>(text: string, values?: readonly PgValue[]): Promise<readonly T[]>;
}

/** A PostgreSQL database as the fleet's code uses it. `connect` makes one with the package `postgres`. */
export interface PgClient extends PgSession {
  /** Runs the body in one transaction; rolls back when it rejects. */
  transaction<T>(body: (session: PgSession) => Promise<T>): Promise<T>;
  /** Several statements without parameters. */
  exec(text: string): Promise<void>;
  /** Calls the listener with each payload of a channel, until what it resolves to is called. */
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>;
  /** Closes every connection at once; statements that wait reject. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Most connections. Default 1, as for a process of a fleet; the page takes more. */
  readonly connections?: number;
  /** A connection that nobody used for so long is closed. Milliseconds, default 60,000. */
  readonly idleMs?: number;
  /** How long a new connection may take. Milliseconds, default 5000. */
  readonly connectMs?: number;
  /** How long one statement may take on the server. Milliseconds, default 10,000. */
  readonly statementMs?: number;
  /** Shows in `pg_stat_activity`. Default `plimsoll`. */
  readonly name?: string;
  /** No arrays in answers; a connection then costs one question less. */
  readonly isPlain?: boolean;
}

type Postgres = (url: string, options: Options<{ json: PostgresType }>) => Sql;

/** Opens a database by its URL. Connects with the first statement. Every message of an error is without user and password. */
export async function connect(url: string, options: ConnectOptions = {}): Promise<PgClient> {
  const postgres = await loadClient(url);
  const redact = redactor(url);
  let sql: Sql;
  try {
    sql = postgres(url, {
      max: options.connections ?? 1,
      idle_timeout: (options.idleMs ?? 60_000) / 1000,
      connect_timeout: (options.connectMs ?? 5000) / 1000,
      max_lifetime: null,
      // Poolers such as PgBouncer in transaction mode lose prepared statements between two transactions.
      prepare: false,
      fetch_types: options.isPlain !== true,
      onnotice: () => undefined,
      connection: {
        application_name: options.name ?? 'plimsoll',
        statement_timeout: options.statementMs ?? 10_000,
      },
      // A text for a column of JSON is JSON already; the client would quote it once more.
      types: { json: { to: 114, from: [114, 3802], serialize: jsonText, parse: JSON.parse } },
    });
  } catch (error) {
    throw failure('PLM_FLEET_URL', { url: redactUrl(url), reason: redact(error).message });
  }
  return new PostgresClient(sql, redact);
}

/** Loads the client of the user's program: the package `postgres` is an optional peer. */
async function loadClient(url: string): Promise<Postgres> {
  try {
    return (await import('postgres')).default as Postgres;
  } catch {
    // A command that was started by npx finds the package only in the folder of the program.
  }
  try {
    const found = createRequire(join(process.cwd(), 'package.json')).resolve('postgres');
    const loaded = (await import(pathToFileURL(found).href)) as { default: Postgres };
    return loaded.default;
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw failure('PLM_FLEET_CLIENT_MISSING', { url: redactUrl(url), reason });
  }
}

class PostgresClient implements PgClient {
  readonly #sql: Sql;
  readonly #redact: (error: unknown) => Error;

  constructor(sql: Sql, redact: (error: unknown) => Error) {
    this.#sql = sql;
    this.#redact = redact;
  }

  query<T = PgRow>(text: string, values: readonly PgValue[] = []): Promise<readonly T[]> {
    return this.#clean(run<T>(this.#sql, text, values));
  }

  transaction<T>(body: (session: PgSession) => Promise<T>): Promise<T> {
    const session = (sql: Sql): PgSession => ({
      query: (text, values = []) => run(sql, text, values),
    });
    return this.#clean(this.#sql.begin((sql) => body(session(sql as unknown as Sql))) as Promise<T>);
  }

  async exec(text: string): Promise<void> {
    await this.#clean(this.#sql.unsafe(text).simple());
  }

  async listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>> {
    const heardBy = await this.#clean(this.#sql.listen(channel, heard));
    return () => this.#clean(heardBy.unlisten());
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: 0 }).catch(() => undefined);
  }

  async #clean<T>(work: PromiseLike<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw this.#redact(error);
    }
  }
}

function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

async function run<T>(sql: Sql, text: string, values: readonly PgValue[]): Promise<readonly T[]> {
  return (await sql.unsafe(text, values as never[])) as unknown as readonly T[];
}
