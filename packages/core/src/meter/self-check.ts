/**
 * Compares the layout rules with the running Node, once, in a few milliseconds.
 *
 * V8 allocates by moving a pointer, and `used_heap_size` follows that pointer to the byte. So the size of a kind of value is what the
 * figure grows by while a few dozen of them are made. A collection in between spoils a try: one try that gives what the rules say is
 * believed, anything else only when four tries agree on it and it is of the right order.
 * Fixed sizes that differ (Node 22 has smaller buffers than 24) are corrected. When a structural rule differs, for instance on a build
 * with pointer compression, no constant would be right: then `[lo, hi]` is widened by the ratio found.
 */
import v8 from 'node:v8';
import { warnOnce } from '../errors.ts';
import {
  arrayHeader,
  bigintHeader,
  boxedNumber,
  collectionHeader,
  dictionaryHeader,
  fixedSizes,
  objectHeader,
  storeHeader,
  stringHeader,
} from './rules.ts';
import type { FixedSizes } from './rules.ts';

/** What the self-check found. */
export interface SelfCheck {
  readonly node: string;
  /** True when every structural rule that could be tried agrees with this Node. */
  readonly agrees: boolean;
  /** Fixed sizes that were corrected for this Node. */
  readonly corrected: readonly string[];
  /** Factors by which the bracket of every measurement is widened; 1 and 1 when the rules agree. */
  readonly widen: { readonly lo: number; readonly hi: number };
}

/** Makes one value; the argument differs from call to call. */
type Make = (i: number) => unknown;

interface Structural {
  readonly predicted: number;
  readonly make: Make;
}

class Triple {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  constructor(i: number) {
    this.a = i;
    this.b = i;
    this.c = i;
  }
}

class Fraction {
  readonly half: number;
  constructor(i: number) {
    this.half = i + 0.5;
  }
}

const count = 64;
const attempts = 8;
const believed = 4;

let done: SelfCheck | undefined;

/** Runs the comparison at the first call and returns its result from then on. */
export function selfCheck(): SelfCheck {
  if (done !== undefined) return done;
  done = compare(fixedSizes, measureByGrowth());
  if (!done.agrees) warnOnce('PLM_METER_RULES_DIFFER', { node: done.node, ...done.widen });
  return done;
}

/** Corrects the fixed sizes of `target` and judges its structural rules by what `measure` finds. */
export function compare(
  target: FixedSizes,
  measure: (make: Make, expected: number) => number | undefined,
): SelfCheck {
  const corrected: string[] = [];
  for (const [name, make] of fixedKinds()) {
    const bytes = measure(make, target[name]);
    if (bytes === undefined || bytes === target[name]) continue;
    target[name] = bytes;
    corrected.push(name);
  }
  let lo = 1;
  let hi = 1;
  for (const { predicted, make } of structuralKinds()) {
    const bytes = measure(make, predicted);
    if (bytes === undefined) continue;
    const ratio = bytes / predicted;
    lo = Math.min(lo, ratio);
    hi = Math.max(hi, ratio);
  }
  return { node: process.version, agrees: lo === 1 && hi === 1, corrected, widen: { lo, hi } };
}

function fixedKinds(): readonly (readonly [keyof FixedSizes, Make])[] {
  const buffer = new ArrayBuffer(128);
  const target = {};
  const stamp = 1.7e12;
  return [
    ['arrayBuffer', () => new ArrayBuffer(128)],
    ['typedArray', () => new Uint8Array(buffer)],
    ['dataView', () => new DataView(buffer)],
    ['date', () => new Date(stamp)],
    ['weak', () => new WeakRef(target)],
    ['boxedPrimitive', (i) => Object(i) as unknown],
    ['symbol', () => Symbol()],
  ];
}

function structuralKinds(): readonly Structural[] {
  // Built by push, because a copy of a literal would share the elements of the literal.
  const four = [1];
  four.push(2, 3, 4);
  const narrow = JSON.stringify('a'.repeat(40));
  const wide = JSON.stringify('\u4e2d'.repeat(40));
  const big = 1n << 70n;
  return [
    { predicted: objectHeader + 24, make: (i) => new Triple(i) },
    {
      predicted: objectHeader + 8 + boxedNumber,
      make: (i) => new Fraction(i),
    },
    { predicted: arrayHeader + storeHeader + 32, make: () => four.slice() },
    { predicted: stringHeader + 40, make: () => JSON.parse(narrow) as string },
    { predicted: stringHeader + 80, make: () => JSON.parse(wide) as string },
    { predicted: bigintHeader + 16, make: () => -big },
    { predicted: collectionHeader + storeHeader + 136, make: () => new Map() },
    { predicted: collectionHeader + storeHeader + 104, make: () => new Set() },
    {
      predicted: objectHeader + dictionaryHeader + 96,
      make: () => Object.create(null) as object,
    },
  ];
}

/** A measure of one value of a kind; it answers undefined when collections kept spoiling the tries. */
export function measureByGrowth(): (make: Make, expected: number) => number | undefined {
  const kept: unknown[] = Array.from({ length: count });
  let idle = Number.POSITIVE_INFINITY;
  for (let i = 0; i < attempts; i++) {
    const bytes = growth(nothing, kept);
    if (bytes >= 0) idle = Math.min(idle, bytes);
  }
  return (make, expected) => {
    const seen = new Map<number, number>();
    // The first round lets V8 settle the shape of what is made.
    growth(make, kept);
    for (let i = 0; i < attempts; i++) {
      const bytes = Math.round((growth(make, kept) - idle) / count / 8) * 8;
      if (bytes === expected) return bytes;
      const times = (seen.get(bytes) ?? 0) + 1;
      seen.set(bytes, times);
      if (times === believed && bytes > expected / 4 && bytes < expected * 4) return bytes;
    }
    return undefined;
  };
}

function nothing(): undefined {
  return undefined;
}

function growth(make: Make, kept: unknown[]): number {
  const before = v8.getHeapStatistics().used_heap_size;
  for (let i = 0; i < count; i++) kept[i] = make(i);
  return v8.getHeapStatistics().used_heap_size - before;
}
