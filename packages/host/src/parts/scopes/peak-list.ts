import type { PeakRow } from '../../protocol/frame.ts';

const mostRows = 10;

/** The few scopes that held most since the start. A scope that has closed stays in it: who held the memory is asked afterwards. */
export class PeakList {
  readonly #rows = new Map<string, { path: string; peakBytes: number; at: number }>();
  #least = 0;

  /** Notes what a scope holds; almost every call ends at the first comparison. */
  note(path: () => string, bytes: number, at: number): void {
    if (bytes <= this.#least || bytes <= 0) return;
    const key = path();
    const known = this.#rows.get(key);
    if (known !== undefined) {
      if (bytes > known.peakBytes) Object.assign(known, { peakBytes: bytes, at });
    } else {
      this.#rows.set(key, { path: key, peakBytes: bytes, at });
      if (this.#rows.size > mostRows) this.#rows.delete((this.rows.at(-1) as PeakRow).path);
    }
    this.#least = this.#rows.size < mostRows ? 0 : (this.rows.at(-1) as PeakRow).peakBytes;
  }

  get rows(): readonly PeakRow[] {
    return [...this.#rows.values()].sort((a, b) => b.peakBytes - a.peakBytes);
  }
}
