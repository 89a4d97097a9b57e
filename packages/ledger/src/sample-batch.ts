import { levelNames } from './sample.ts';
import type { ProcessSample, Sample } from './sample.ts';

/** Numbers per packed row: scope index and time and bytes, then the parts of a process sample. */
export const scopeWidth = 3;
export const processWidth = 11;
const longestPath = 1000;

/** Packed samples as they cross to the worker: two flat arrays and the scope paths they point into. */
export interface PackedBatch {
  /** Number of the batch within its run; a batch sent again after a crash is stored once. */
  readonly number: number;
  readonly paths: readonly string[];
  readonly scopes: Float64Array;
  readonly processes: Float64Array;
}

/**
 * A bounded buffer of samples, packed as they arrive: a waiting sample costs 24 or 88 bytes and no object, so that a
 * full queue is small and handing it to the worker is one memory copy. NaN stands for "not measured".
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
    out[start + 3] = sample.limit;
    out[start + 4] = sample.floor ?? Number.NaN;
    out[start + 5] = sample.heapUsed;
    out[start + 6] = sample.external;
    out[start + 7] = sample.arrayBuffers;
    out[start + 8] = sample.rss;
    out[start + 9] = Math.round(sample.loopDelayMs * 1000);
    out[start + 10] = sample.level === undefined ? Number.NaN : levelNames.indexOf(sample.level);
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
