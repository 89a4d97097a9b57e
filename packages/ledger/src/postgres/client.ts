import { failure } from '@plimsoll/core/internal/errors';
import { loadDriver } from './driver.ts';
import type { PgDriver, DriverClient, DriverOptions, DriverPool, PooledClient } from './driver.ts';
import { redactUrl, redactor } from './redact.ts';

/** A value of a statement. An array becomes a PostgreSQL array; JSON is given as its text. */
export type PgValue = string | number | bigint | boolean | null | Date | Uint8Array | readonly PgValue[];
export type PgRow = Readonly<Record<string, unknown>>;

/** Runs statements, on the database or in a transaction. */
export interface PgSession {
  query<T = PgRow>(text: string, values?: readonly PgValue[]): Promise<readonly T[]>;
}

/** The functions of a PostgreSQL database for the fleet's code. `connect` makes one with the package `pg`. */
export interface PgClient extends PgSession {
  /** Runs the body in one transaction; rolls back when it rejects. */
  transaction<T>(body: (session: PgSession) => Promise<T>): Promise<T>;
  /** Several statements without parameters. */
  exec(text: string): Promise<void>;
  /**
   * Calls the listener with each payload of a channel, on a connection of its own, until the resolved function is called or `lost` is
   * called.
   */
  listen(channel: string, heard: (payload: string) => void, lost?: () => void): Promise<() => Promise<void>>;
  /** Closes every connection at once; statements that wait reject. */
  close(): Promise<void>;
}

interface ConnectOptions {
  /** Most connections. Default 1, for a process of a fleet. The page uses more. */
  readonly connections?: number;
  /** A connection that is unused for this time is closed. Milliseconds, default 60,000. */
  readonly idleMs?: number;
  /** How long a new connection may take. Milliseconds, default 5000. */
  readonly connectMs?: number;
  /** How long one statement may take on the server. Milliseconds, default 10,000. */
  readonly statementMs?: number;
  /** Shows in `pg_stat_activity`. Default `plimsoll`. */
  readonly name?: string;
}

const urlForm = /^postgres(?:ql)?:$/;

/** Opens a database by its URL. It connects with the first statement. Error messages contain no user and no password. */
export async function connect(url: string, options: ConnectOptions = {}): Promise<PgClient> {
  const redact = redactor(url);
  try {
    const { protocol } = new URL(url);
    if (!urlForm.test(protocol)) throw new Error(`it begins with ${protocol}//`);
  } catch (error) {
    throw failure('PLM_FLEET_URL', { url: redactUrl(url), reason: redact(error).message });
  }
  const driver = await loadDriver(url);
  const shared: DriverOptions = {
    connectionString: url,
    connectionTimeoutMillis: options.connectMs ?? 5000,
    statement_timeout: options.statementMs ?? 10_000,
    application_name: options.name ?? 'plimsoll',
    keepAlive: true,
  };
  const pool = new driver.Pool({
    ...shared,
    max: options.connections ?? 1,
    idleTimeoutMillis: options.idleMs ?? 60_000,
    allowExitOnIdle: true,
  });
  return new PooledDatabase(pool, () => new driver.Client(shared), redact);
}

class PooledDatabase implements PgClient {
  readonly #pool: DriverPool;
  readonly #listener: () => DriverClient;
  readonly #redact: (error: unknown) => Error;
  /** Connections in use. A server that does not answer would hold them for ever. */
  readonly #busy = new Set<DriverClient>();
  readonly #known = new WeakSet<DriverClient>();
  #isClosed = false;

  constructor(
    pool: DriverPool,
    listener: () => InstanceType<PgDriver['Client']>,
    redact: (error: unknown) => Error,
  ) {
    this.#pool = pool;
    this.#listener = listener;
    this.#redact = redact;
    // An idle connection that breaks is replaced with the next statement.
    pool.on('error', () => undefined);
  }

  query<T = PgRow>(text: string, values: readonly PgValue[] = []): Promise<readonly T[]> {
    return this.#with((client) => run<T>(client, text, values));
  }

  transaction<T>(body: (session: PgSession) => Promise<T>): Promise<T> {
    return this.#with(async (client) => {
      await client.query('begin');
      try {
        const result = await body({ query: (text, values = []) => run(client, text, values) });
        await client.query('commit');
        return result;
      } catch (error) {
        // If this fails too, the connection is gone and the server rolls back.
        await client.query('rollback').catch(() => this.#drop(client));
        throw error;
      }
    });
  }

  async exec(text: string): Promise<void> {
    await this.#with((client) => client.query(text));
  }

  async listen(
    channel: string,
    heard: (payload: string) => void,
    lost?: () => void,
  ): Promise<() => Promise<void>> {
    const client = this.#listener();
    let isOver = false;
    const over = (): void => {
      this.#busy.delete(client);
      if (!isOver) lost?.();
      isOver = true;
    };
    client.on('error', over);
    client.on('end', over);
    client.on('notification', ({ payload }) => heard(payload ?? ''));
    this.#busy.add(client);
    try {
      await client.connect();
      await client.query(`listen "${channel.replaceAll('"', '""')}"`);
    } catch (error) {
      isOver = true;
      this.#drop(client);
      throw this.#redact(error);
    }
    return async () => {
      isOver = true;
      this.#busy.delete(client);
      await client.end().catch(() => undefined);
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const client of this.#busy) this.#drop(client);
    await this.#pool.end().catch(() => undefined);
  }

  async #with<T>(work: (client: PooledClient) => Promise<T>): Promise<T> {
    let client: PooledClient | undefined;
    try {
      client = await this.#pool.connect();
      if (!this.#known.has(client)) client.on('error', () => undefined);
      this.#known.add(client);
      this.#busy.add(client);
      if (this.#isClosed) throw new Error('the connection was closed');
      return await work(client);
    } catch (error) {
      throw this.#redact(error);
    } finally {
      // The pool forgets a connection that broke.
      if (client !== undefined) client.release(!this.#busy.delete(client));
    }
  }

  #drop(client: DriverClient): void {
    this.#busy.delete(client);
    client.connection.stream.destroy();
  }
}

async function run<T>(client: DriverClient, text: string, values: readonly PgValue[]): Promise<readonly T[]> {
  return (await client.query(text, values)).rows as readonly T[];
}
