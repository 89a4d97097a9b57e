import type { Cursor } from './cursor.ts';
import { bigintHeader, boxedNumber, fixedSizes } from './rules.ts';
import { flatten, internedLength, isSharedWord, stringBytes } from './string-bytes.ts';

/** What a walk met and could not look into. */
export type UnknownKind = 'accessor' | 'closure' | 'native' | 'promise' | 'proxy' | 'weak';

interface WalkOptions {
  readonly chunk?: number;
  readonly onLongString?: (text: string) => boolean;
  readonly flatten?: boolean;
}

/** Strings from this length on are offered to `onLongString`. */
const longStringLength = 256;

/** Names of dictionaries that one walk remembers; at 40 bytes each this stays under 4 MiB for a moment. */
const mostNames = 100_000;

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
  /** Flattens strings built by concatenation, which hold up to thirteen times their length until something reads them. */
  readonly flatten: boolean;
  #unknownCounts: Map<UnknownKind, number> | undefined;
  #names: Set<string> | undefined;

  constructor(options: WalkOptions = {}) {
    this.chunk = options.chunk ?? 4096;
    this.onLongString = options.onLongString;
    this.flatten = options.flatten ?? false;
  }

  get lo(): number {
    return this.bytes - this.below;
  }

  get hi(): number {
    return this.bytes + this.above;
  }

  get unknown(): ReadonlyMap<UnknownKind, number> {
    return this.#unknownCounts ?? new Map();
  }

  /** Notes something whose size cannot be known from JavaScript. */
  missed(kind: UnknownKind): void {
    const counts = (this.#unknownCounts ??= new Map());
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }

  /** True the first time this walk meets the name of a property or shape; past a bound every name counts as known. */
  firstSight(name: string): boolean {
    const names = (this.#names ??= new Set());
    if (names.size >= mostNames || names.has(name)) return false;
    names.add(name);
    return true;
  }

  /** Charges what one slot refers to: a leaf at once, an object by putting it on the stack. */
  value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.string(value);
        return;
      case 'number':
        if ((value | 0) !== value) this.leaf(boxedNumber);
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
        this.above += fixedSizes.symbol;
    }
  }

  string(text: string): void {
    const length = text.length;
    if (length < 2) return;
    const bytes = stringBytes(text);
    if (length <= internedLength) {
      if (isSharedWord(text)) this.above += bytes;
      else {
        this.leaf(bytes);
        this.below += bytes;
      }
      return;
    }
    if (this.flatten) flatten(text);
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
  if (magnitude === 0n) return bigintHeader;
  const words = magnitude <= 0xffff_ffff_ffff_ffffn ? 1 : Math.ceil(magnitude.toString(16).length / 16);
  return bigintHeader + 8 * words;
}
