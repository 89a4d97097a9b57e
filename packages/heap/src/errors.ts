import type { HeapErrorEntry, HeapErrorText } from './errors/entry.ts';
import { insightErrors } from './errors/insight.ts';
import { readErrors } from './errors/read.ts';

/** Every error code of the heap package, one area per file under `errors/`. */
export const catalogue = {
  ...readErrors,
  ...insightErrors,
};

export type HeapErrorCode = keyof typeof catalogue;

type Details<Code extends HeapErrorCode> =
  (typeof catalogue)[Code] extends HeapErrorEntry<infer D> ? D : never;

const brand = Symbol.for('plimsoll.error');

/** An error with a code, a place and a way out; `String(error)` is the three-line form. */
export class HeapError extends Error {
  readonly code: HeapErrorCode;
  readonly where: string;
  readonly fix: string;
  readonly docs: string;
  /** Byte offset into the uncompressed input, where the error has one. */
  readonly offset: number | undefined;

  constructor(
    code: HeapErrorCode,
    text: HeapErrorText,
    options?: { cause?: unknown; offset?: number | undefined },
  ) {
    super(text.message, options);
    this.name = 'HeapError';
    this.code = code;
    this.where = text.where;
    this.fix = text.fix;
    this.docs = `plimsoll docs ${code}`;
    this.offset = options?.offset;
    Object.defineProperty(this, brand, { value: true });
  }

  override toString(): string {
    return `${this.code}: ${this.message}\n  at:  ${this.where}\n  fix: ${this.fix}`;
  }
}

/** Builds the catalogued error; the caller throws it. */
export function failure<Code extends HeapErrorCode>(
  code: Code,
  details: Details<Code>,
  options?: { cause?: unknown },
): HeapError {
  const found = catalogue[code] as unknown as HeapErrorEntry<Details<Code>>;
  const offset = (details as { offset?: number }).offset;
  return new HeapError(code, found.text(details), { ...options, offset });
}

/** True for our errors, also from another copy of the package. */
export function isHeapError(value: unknown): value is HeapError {
  return value instanceof Error && (value as unknown as Record<symbol, unknown>)[brand] === true;
}
