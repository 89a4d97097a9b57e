import { levels } from '@plimsoll/core/internal/level';
import { storedFields } from '@plimsoll/core/internal/sense/reading-fields';
import type { ProcessSample, Sample } from './sample.ts';
import type { RunInfo } from './sqlite/samples-store.ts';

/** Numbers per packed row: scope index, time and bytes, then the stored fields of a process sample and its level. */
export const scopeWidth = 3;
export const processWidth = scopeWidth + storedFields.length + 1;
const longestPath = 1000;

/** Packed samples for the worker: two flat arrays and the scope paths that they index. */
export interface PackedBatch {
  /** Number of the batch within its run; a batch that is sent again after a crash is stored once. */
  readonly number: number;
  readonly paths: readonly string[];
  readonly scopes: Float64Array;
  readonly processes: Float64Array;
}

/** A packed batch as JSON, with its run. */
export interface PendingBatch {
  readonly run: RunInfo;
  readonly number: number;
  readonly paths: readonly string[];
  readonly scopes: readonly number[];
  /** null means "not measured". */
  readonly processes: readonly (number | null)[];
  /** Columns of a process row. Another version of Plimsoll may have others. */
  readonly columns: string;
}

const columns = storedFields.map(({ column }) => column).join(' ');

export function pendingBatch(run: RunInfo, { number, paths, scopes, processes }: PackedBatch): PendingBatch {
  return { run, number, paths, scopes: [...scopes], processes: [...processes], columns };
}

/** The batch of a pending line. */
export function packedBatch({ number, paths, scopes, processes }: PendingBatch): PackedBatch {
  const values = processes.map((value) => value ?? Number.NaN);
  return { number, paths, scopes: Float64Array.from(scopes), processes: Float64Array.from(values) };
}

/** True for a complete batch of this version. A batch that the file refuses would block all later ones. */
export function isPendingBatch(value: Partial<PendingBatch>): boolean {
  const { run, number, paths, scopes, processes } = value;
  const areRows = (rows: readonly (number | null)[], width: number): boolean =>
    rows.length % width === 0 &&
    rows.every((field, i) => {
      const at = i % width;
      if (at === 0) return typeof paths?.[field as number] === 'string';
      return Number.isFinite(field) || (field === null && at >= scopeWidth);
    });
  return (
    value.columns === columns &&
    [run?.id, run?.pid, run?.started, number].every(Number.isSafeInteger) &&
    typeof run?.host === 'string' &&
    [paths, scopes, processes].every(Array.isArray) &&
    areRows(scopes as readonly number[], scopeWidth) &&
    areRows(processes as readonly (number | null)[], processWidth)
  );
}

/**
 * A bounded buffer of samples, packed on arrival. A waiting sample takes 24 or 88 bytes and no object, so a full queue is small and passing
 * it to the worker is one memory copy. NaN means "not measured".
 */
export class SampleBatch {
  readonly #capacity: number;
  readonly #paths = new Map<string, number>();
  #scopes = new Float64Array(64 * scopeWidth);
  #processes = new Float64Array(4 * processWidth);
  #scopeRows = 0;
  #processRows = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get rows(): number {
    return this.#scopeRows + this.#processRows;
  }

  /** False when the buffer is full. */
  add(sample: Sample): boolean {
    if (this.rows >= this.#capacity) return false;
    if ('usedBytes' in sample) this.#addProcess(sample);
    else {
      const start = this.#scopeRows++ * scopeWidth;
      if (start + scopeWidth > this.#scopes.length) this.#scopes = grown(this.#scopes);
      this.#scopes[start] = this.#index(sample.scope);
      this.#scopes[start + 1] = sample.at;
      this.#scopes[start + 2] = sample.bytes;
    }
    return true;
  }

  pack(number: number): PackedBatch {
    return {
      number,
      paths: [...this.#paths.keys()],
      scopes: this.#scopes.slice(0, this.#scopeRows * scopeWidth),
      processes: this.#processes.slice(0, this.#processRows * processWidth),
    };
  }

  #addProcess(sample: ProcessSample): void {
    const start = this.#processRows++ * processWidth;
    if (start + processWidth > this.#processes.length) this.#processes = grown(this.#processes);
    const out = this.#processes;
    out[start] = this.#index(sample.scope);
    out[start + 1] = sample.at;
    out[start + 2] = sample.usedBytes;
    for (const [i, { name, scale }] of storedFields.entries()) {
      const value = sample[name];
      out[start + scopeWidth + i] = value === undefined ? Number.NaN : Math.round(value * scale);
    }
    const level = sample.level === undefined ? Number.NaN : levels.indexOf(sample.level);
    out[start + processWidth - 1] = level;
  }

  #index(path: string): number {
    const key = path.length > longestPath ? path.slice(0, longestPath) : path;
    const known = this.#paths.get(key);
    if (known !== undefined) return known;
    const next = this.#paths.size;
    this.#paths.set(key, next);
    return next;
  }
}

function grown(old: Float64Array): Float64Array<ArrayBuffer> {
  const next = new Float64Array(old.length * 2);
  next.set(old);
  return next;
}

/** True when the sample can be stored: a time, a path and a number of bytes. */
export function storable(sample: Sample): boolean {
  const bytes = 'usedBytes' in sample ? sample.usedBytes : sample.bytes;
  return (
    Number.isFinite(sample.at) &&
    Number.isFinite(bytes) &&
    typeof sample.scope === 'string' &&
    sample.scope !== ''
  );
}
