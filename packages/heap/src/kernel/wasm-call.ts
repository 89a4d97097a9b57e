export type Call = (...values: (number | bigint)[]) => number;
export type Exports = Readonly<Record<string, Call>> & Readonly<Record<string, { readonly value: number }>>;

/** A view of the kernel's memory. */
export type View = Uint8Array | Uint32Array | Float64Array;

/** Where a view begins, as the kernel counts. */
export const at = (view: View | null): number => view?.byteOffset ?? 0;

/** An exported counter, as an unsigned number. */
export function counter(call: Exports, name: string): number {
  return (call[name] as { readonly value: number }).value >>> 0;
}

/** Nodes per call at first, and at most; the first calls are short so that optimised code takes over early. */
export const firstStep = 1 << 12;
export const maxStep = 1 << 18;

/**
 * Calls with growing ranges of 0 to `count`. A function that runs once runs in baseline code to its end; called again
 * it has been optimised meanwhile.
 */
export function up(from: number, count: number, run: (first: number, last: number) => void): void {
  for (let first = from, step = firstStep; first < count; first += step, step = Math.min(step * 2, maxStep)) {
    run(first, Math.min(first + step, count));
  }
}

/** As `up`, from the end. */
export function down(from: number, count: number, run: (first: number, last: number) => void): void {
  for (let last = count, step = firstStep; last > from; last -= step, step = Math.min(step * 2, maxStep)) {
    run(Math.max(from, last - step), last);
  }
}
