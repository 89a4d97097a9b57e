import { badOption } from '../bound.ts';
import type { LotClaim, SharedLot } from './parking-lot.ts';
import { postgresStatements } from './postgres-statements.ts';
import type { PostgresStatements } from './postgres-statements.ts';
import { SharedBounds } from './shared-bounds.ts';
import type { SharedBoundsOptions } from './shared-bounds.ts';
import { keyOf } from './shared-row.ts';

/** The part of a PostgreSQL client that the lot uses: a Pool or Client of `pg`, or the `sql` of `postgres`. */
export interface PostgresLotClient {
  /** Of pg: runs a statement. */
  query?(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
  /** Of postgres: runs a statement. */
  unsafe?(text: string, values: never[]): PromiseLike<readonly unknown[]>;
}

export interface PostgresLotOptions extends SharedBoundsOptions {
  /** The client, which stays yours: the lot does not end it. Use a pool, so that a slow statement does not hold up the others. */
  readonly client: PostgresLotClient;
  /** Table of the parked sessions, default "plimsoll_parked"; made at first use when it does not exist. */
  readonly table?: string;
}

/** Pause between two looks at what has expired and at how much is parked. */
const sweepEveryMs = 60_000;
/** Most claims that one statement renews. */
const renewBatch = 1000;
/** SQLSTATE of a table or sequence that does not exist. */
const undefinedTable = '42P01';

interface Row {
  readonly [column: string]: unknown;
}

/** Parked sessions in a PostgreSQL table that all pods share. */
export class PostgresLot implements SharedLot {
  readonly label: string;
  readonly #client: PostgresLotClient;
  readonly #bounds: SharedBounds;
  readonly #sql: PostgresStatements;
  #made: Promise<unknown> | undefined;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(options: PostgresLotOptions) {
    const name = 'PostgresLot';
    const { table = 'plimsoll_parked' } = options;
    if (!/^[a-z_][a-z0-9_]{0,39}(\.[a-z_][a-z0-9_]{0,39})?$/.test(table))
      throw badOption(name, 'table', table, 'a name of a-z, 0-9 and _, with or without a schema');
    const given = options.client as PostgresLotClient | undefined;
    if (typeof given?.query !== 'function' && typeof given?.unsafe !== 'function')
      throw badOption(name, 'client', typeof given, 'a pool of pg, or the sql of postgres');
    this.#client = options.client;
    this.label = `parking lot ${table} in PostgreSQL`;
    this.#bounds = new SharedBounds(name, this.label, options, 10 * 1024 ** 3);
    this.#sql = postgresStatements(table);
  }

  get claimMs(): number {
    return this.#bounds.claimMs;
  }

  /** Bytes of all parked sessions at the last look, which is a minute ago at most while sessions are parked. */
  get bytes(): number | undefined {
    return this.#bounds.parked?.bytes;
  }

  get size(): number | undefined {
    return this.#bounds.parked?.size;
  }

  async put(id: string, form: Uint8Array, fence?: number): Promise<void> {
    const values = [keyOf(id), this.#bounds.sendable(id, form), form.byteLength, this.#bounds.keepMs];
    if (fence === undefined) {
      const [row] = await this.#run(this.#sql.put, values);
      if (row === undefined) throw await this.#heldElsewhere(id);
    } else {
      const [row] = await this.#run(this.#sql.putFenced, [...values, fence]);
      if (row === undefined) throw this.#bounds.claimLost(id);
    }
    await this.#sweep();
  }

  async get(id: string): Promise<Uint8Array | undefined> {
    const [row] = await this.#run(this.#sql.get, [keyOf(id)]);
    return (row?.['form'] as Uint8Array | null | undefined) ?? undefined;
  }

  async remove(id: string, fence?: number): Promise<boolean> {
    if (fence !== undefined) return (await this.#run(this.#sql.removeFenced, [keyOf(id), fence])).length > 0;
    if ((await this.#run(this.#sql.remove, [keyOf(id)])).length > 0) return true;
    if ((await this.#run(this.#sql.holder, [keyOf(id)])).length > 0) throw await this.#heldElsewhere(id);
    return false;
  }

  async claim(id: string, holder: string): Promise<LotClaim> {
    const [row] = await this.#run(this.#sql.claim, [keyOf(id), holder, this.claimMs, this.#bounds.keepMs]);
    if (row === undefined) throw await this.#heldElsewhere(id);
    return { fence: Number(row['fence']), form: (row['form'] as Uint8Array | null) ?? undefined };
  }

  async renew(claims: ReadonlyMap<string, number>): Promise<ReadonlySet<string>> {
    const kept = new Set<string>();
    const all = [...claims];
    for (let at = 0; at < all.length; at += renewBatch) {
      const batch = new Map(all.slice(at, at + renewBatch).map(([id, fence]) => [keyOf(id), { id, fence }]));
      const fences = [...batch.values()].map(({ fence }) => fence);
      const values = [[...batch.keys()], fences, this.claimMs, this.#bounds.keepMs];
      for (const row of await this.#run(this.#sql.renew, values)) {
        const claim = batch.get(String(row['id']));
        if (claim !== undefined) kept.add(claim.id);
      }
    }
    return kept;
  }

  async release(id: string, fence: number): Promise<void> {
    await this.#run(this.#sql.release, [keyOf(id), fence]);
  }

  async close(): Promise<void> {
    await this.#made?.catch(() => {});
  }

  async #heldElsewhere(id: string): Promise<Error> {
    const [row] = await this.#run(this.#sql.holder, [keyOf(id)]);
    return this.#bounds.heldElsewhere(id, row?.['holder'], row?.['ms']);
  }

  /** Removes what has expired and what is above the bound, and counts the rest. */
  async #sweep(): Promise<void> {
    const now = performance.now();
    if (now - this.#sweptAt < sweepEveryMs) return;
    this.#sweptAt = now;
    // What was parked is parked; a sweep that fails is tried again with a later one.
    const rows = await this.#run(this.#sql.sweep, [this.#bounds.maxBytes]).catch((): readonly Row[] => []);
    if (rows[0] === undefined) return;
    this.#bounds.parked = { size: Number(rows[0]['entries']), bytes: Number(rows[0]['bytes']) };
  }

  async #run(text: string, values: unknown[]): Promise<readonly Row[]> {
    try {
      return await this.#query(text, values);
    } catch (error) {
      if ((error as { code?: unknown }).code !== undefinedTable) throw error;
      this.#made ??= this.#query(this.#sql.make, []).finally(() => {
        this.#made = undefined;
      });
      await this.#made;
      return this.#query(text, values);
    }
  }

  async #query(text: string, values: unknown[]): Promise<readonly Row[]> {
    // The sql of postgres has no "query"; a pool of pg has no "unsafe".
    const rows =
      this.#client.unsafe === undefined
        ? (await this.#client.query?.(text, values))?.rows
        : await this.#client.unsafe(text, values as never[]);
    return rows as readonly Row[];
  }
}
