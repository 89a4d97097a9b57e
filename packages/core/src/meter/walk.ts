import type { Cursor } from './cursor.ts';
import { rules } from './rules.ts';
import { isSharedWord, stringBytes } from './string-bytes.ts';

/** What a walk met and could not look into. */
export type UnknownKind = 'accessor' | 'closure' | 'native' | 'promise' | 'proxy' | 'weak';

/** Strings from this length on are offered to `onLongString`. */
export const longStringLength = 256;

/** The sums of one walk over a value and the objects it still has to visit. */
export class Walk {
  /** Point estimate so far. */
  bytes = 0;
  /** How far the truth may lie below `bytes`. */
  below = 0;
  /** How far the truth may lie above `bytes`. */
  above = 0;
  /** The part of `bytes` that is strings, boxed numbers and bigints held by the objects visited. */
  leafBytes = 0;
  /** Objects reached and not yet expanded, with duplicates. */
  readonly pending: object[] = [];
  /** Containers charged in part. */
  readonly cursors: Cursor[] = [];
  /** Most elements or properties that one `expand` looks at before it leaves the rest to a cursor. */
  readonly chunk: number;
  /** Called with each string of 256 characters or more; true leaves the string out because something else owns it. */
  readonly onLongString: ((text: string) => boolean) | undefined;
  private unknownCounts: Map<UnknownKind, number> | undefined;

  constructor(options: { chunk?: number; onLongString?: (text: string) => boolean } = {}) {
    this.chunk = options.chunk ?? 4096;
    this.onLongString = options.onLongString;
  }

  get lo(): number {
    return this.bytes - this.below;
  }

  get hi(): number {
    return this.bytes + this.above;
  }

  get unknown(): ReadonlyMap<UnknownKind, number> {
    return this.unknownCounts ?? new Map();
  }

  /** Notes something whose size cannot be known from JavaScript. */
  missed(kind: UnknownKind): void {
    const counts = (this.unknownCounts ??= new Map());
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }

  /** Charges what one slot refers to: a leaf at once, an object by putting it on the stack. */
  value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.string(value);
        return;
      case 'number':
        if ((value | 0) !== value) this.leaf(rules.boxedNumber);
        return;
      case 'object':
        if (value !== null) this.pending.push(value);
        return;
      case 'function':
        this.pending.push(value);
        return;
      case 'bigint':
        this.leaf(bigintBytes(value));
        return;
      case 'symbol':
        // Most symbols are well-known or registered and shared by everything.
        this.above += rules.symbol;
    }
  }

  string(text: string): void {
    const length = text.length;
    if (length < 2) return;
    const bytes = stringBytes(text);
    if (length <= 10) {
      if (isSharedWord(text)) this.above += bytes;
      else {
        this.leaf(bytes);
        this.below += bytes;
      }
      return;
    }
    if (length >= longStringLength && this.onLongString?.(text) === true) return;
    this.leaf(bytes);
  }

  leaf(bytes: number): void {
    this.bytes += bytes;
    this.leafBytes += bytes;
  }
}

/** Bytes of a bigint; the magnitude takes one word per 64 bits. */
export function bigintBytes(value: bigint): number {
  const magnitude = value < 0n ? -value : value;
  if (magnitude === 0n) return rules.bigintHeader;
  const words = magnitude <= 0xffff_ffff_ffff_ffffn ? 1 : Math.ceil(magnitude.toString(16).length / 16);
  return rules.bigintHeader + 8 * words;
}
