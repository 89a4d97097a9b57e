import { packedBatch, processWidth, scopeWidth } from '../sample-batch.ts';
import type { PackedBatch, PendingBatch } from '../sample-batch.ts';
import type { Database, SQLInputValue } from './database.ts';
import { laySamplesTables, parts } from './samples-schema.ts';

const addScope = 'INSERT INTO fresh (series, at, bytes) VALUES (?, ?, ?)';
const addProcess = `INSERT INTO fresh (series, at, bytes, ${parts.join(', ')}) VALUES (?, ?, ?${', ?'.repeat(parts.length)})`;
const touchSeries = `UPDATE series SET n = n + ?2, total = total + ?3,
  low = min(coalesce(low, ?4), ?4), high_at = CASE WHEN high IS NULL OR ?5 > high THEN ?6 ELSE high_at END,
  high = max(coalesce(high, ?5), ?5), first_at = min(coalesce(first_at, ?7), ?7), last_at = ?8, last = ?9 WHERE id = ?1`;
const cacheSize = 20_000;

export interface RunInfo {
  readonly id: number;
  readonly pid: number;
  readonly host: string;
  readonly started: number;
}

interface Touch {
  id: number;
  n: number;
  total: number;
  low: number;
  high: number;
  highAt: number;
  firstAt: number;
  lastAt: number;
  last: number;
}

/** The write side of samples.db for one run. */
export class SamplesStore {
  readonly #db: Database;
  readonly #run: RunInfo;
  readonly #seriesIds = new Map<string, number>();

  constructor(db: Database, run: RunInfo) {
    this.#db = db;
    this.#run = run;
    db.transaction(() => {
      laySamplesTables(db);
      db.run(
        'INSERT INTO run (id, pid, host, started) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
        run.id,
        run.pid,
        run.host,
        run.started,
      );
    });
  }

  /** Stores a batch in one transaction, or nothing when this batch is already in the file. Returns the rows written. */
  write(batch: PackedBatch): number {
    try {
      return this.#db.transaction(() => {
        const stored = this.#db.number('SELECT batch FROM run WHERE id = ?', this.#run.id);
        if (batch.number <= stored) return 0;
        const touches = batch.paths.map((path) => this.#touch(path));
        const rows =
          this.#writeProcesses(batch.processes, touches) + this.#writeScopes(batch.scopes, touches);
        for (const t of touches) {
          this.#db.run(touchSeries, t.id, t.n, t.total, t.low, t.high, t.highAt, t.firstAt, t.lastAt, t.last);
        }
        this.#db.run('UPDATE run SET batch = ? WHERE id = ?', batch.number, this.#run.id);
        return rows;
      });
    } catch (error) {
      // Ids from a transaction that was rolled back must not be used again.
      this.#seriesIds.clear();
      throw error;
    }
  }

  /** Stores the batches of a journal that the file does not have. */
  takeIn(batches: readonly PendingBatch[]): void {
    const stored = this.#db.number('SELECT batch FROM run WHERE id = ?', this.#run.id);
    for (const batch of batches) if (batch.number > stored) this.write(packedBatch(batch));
  }

  /** Forgets remembered series ids after retention has removed series. */
  forget(): void {
    this.#seriesIds.clear();
  }

  #writeScopes(packed: Float64Array, touches: readonly Touch[]): number {
    const insert = this.#db.prepare(addScope);
    for (let i = 0; i < packed.length; i += scopeWidth) {
      const touch = touches[packed[i] as number] as Touch;
      const at = Math.round(packed[i + 1] as number);
      const bytes = Math.round(packed[i + 2] as number);
      count(touch, at, bytes);
      insert.run(touch.id, at, bytes);
    }
    return packed.length / scopeWidth;
  }

  #writeProcesses(packed: Float64Array, touches: readonly Touch[]): number {
    const insert = this.#db.prepare(addProcess);
    for (let i = 0; i < packed.length; i += processWidth) {
      const touch = touches[packed[i] as number] as Touch;
      const values: SQLInputValue[] = [touch.id];
      for (let k = 1; k < processWidth; k++) {
        const value = packed[i + k] as number;
        values.push(Number.isFinite(value) ? Math.round(value) : null);
      }
      count(touch, values[1] as number, values[2] as number);
      insert.run(...values);
    }
    return packed.length / processWidth;
  }

  #touch(path: string): Touch {
    const nothing = {
      n: 0,
      total: 0,
      low: Infinity,
      high: -Infinity,
      highAt: 0,
      firstAt: Infinity,
      lastAt: 0,
      last: 0,
    };
    return { id: this.#seriesId(path), ...nothing };
  }

  #seriesId(path: string): number {
    const known = this.#seriesIds.get(path);
    if (known !== undefined) return known;
    const { kind, name } = kindAndName(path);
    this.#db.run(
      'INSERT INTO series (run, path, kind, name) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
      this.#run.id,
      path,
      kind,
      name,
    );
    const id = this.#db.number('SELECT id FROM series WHERE path = ?2 AND run = ?1', this.#run.id, path);
    if (this.#seriesIds.size >= cacheSize) this.#seriesIds.clear();
    this.#seriesIds.set(path, id);
    return id;
  }
}

function count(touch: Touch, at: number, bytes: number): void {
  touch.n++;
  touch.total += bytes;
  if (bytes < touch.low) touch.low = bytes;
  if (bytes > touch.high) {
    touch.high = bytes;
    touch.highAt = at;
  }
  if (at < touch.firstAt) touch.firstAt = at;
  touch.lastAt = at;
  touch.last = bytes;
}

/** Kind and name of the last step of a scope path: `process/agent:planner` is kind `agent`, name `planner`. */
export function kindAndName(path: string): { kind: string; name: string } {
  const last = path.slice(path.lastIndexOf('/') + 1);
  const colon = last.indexOf(':');
  return colon < 0 ? { kind: last, name: last } : { kind: last.slice(0, colon), name: last.slice(colon + 1) };
}
