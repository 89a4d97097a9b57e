import type { CensusResult, CensusTarget } from './scope-walk.ts';

interface MeasuredScope {
  readonly kind: string;
  readonly result: CensusResult;
  /** Empty of the user's objects once its scope has closed. */
  readonly marker: CensusTarget['marker'];
}

interface KindSum {
  bytes: number;
  external: number;
  factor: number;
}

/** The results of the census by scope, with running sums per kind, so that a total costs nothing per scope. */
export class CensusBook {
  readonly #entries = new Map<number, MeasuredScope>();
  readonly #kinds = new Map<string, KindSum>();
  #inspection: Iterator<[number, MeasuredScope]> | undefined;

  /** Numbers and one shared string per scope; measured at about 200 bytes. */
  get retainedBytes(): number {
    return 200 * this.#entries.size + 100 * this.#kinds.size;
  }

  /** The measurement as it was taken, before calibration. */
  raw(id: number): CensusResult | undefined {
    return this.#entries.get(id)?.result;
  }

  get(id: number): CensusResult | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    if (entry.marker.state === 'closed') {
      this.remove(id);
      return undefined;
    }
    const { result, kind } = entry;
    const { factor } = this.#sumOf(kind);
    if (factor === 1) return result;
    const heap = (result.bytes - result.external) * factor;
    return { ...result, bytes: Math.round(heap + result.external) };
  }

  set({ id, kind, marker }: CensusTarget, result: CensusResult): void {
    this.remove(id);
    this.#entries.set(id, { kind, result, marker });
    const sum = this.#sumOf(kind);
    sum.bytes += result.bytes;
    sum.external += result.external;
  }

  remove(id: number): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    const sum = this.#sumOf(entry.kind);
    sum.bytes -= entry.result.bytes;
    sum.external -= entry.result.external;
  }

  /** Looks at the next scopes in turn and drops those that closed, so that sums follow within a moment and no call takes long. */
  prune(count: number): void {
    for (let i = 0; i < count; i++) {
      this.#inspection ??= this.#entries.entries();
      const next = this.#inspection.next();
      if (next.done === true) {
        this.#inspection = undefined;
        return;
      }
      const [id, { marker }] = next.value;
      if (marker.state === 'closed') this.remove(id);
    }
  }

  calibrate(kind: string, factor: number): void {
    this.#sumOf(kind).factor = factor;
  }

  total(): { scopes: number; bytes: number; external: number } {
    let bytes = 0;
    let external = 0;
    for (const sum of this.#kinds.values()) {
      bytes += (sum.bytes - sum.external) * sum.factor + sum.external;
      external += sum.external;
    }
    return { scopes: this.#entries.size, bytes: Math.round(bytes), external };
  }

  #sumOf(kind: string): KindSum {
    let sum = this.#kinds.get(kind);
    if (sum === undefined) {
      sum = { bytes: 0, external: 0, factor: 1 };
      this.#kinds.set(kind, sum);
    }
    return sum;
  }
}
