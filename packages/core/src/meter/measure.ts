import { selfCheck } from './self-check.ts';
import { step } from './layout.ts';
import { Walk } from './walk.ts';
import type { UnknownKind } from './walk.ts';

/** What `measure` found. */
export interface Measurement {
  /** Best estimate of the bytes that would be freed if nothing else referred to the value. */
  readonly bytes: number;
  /** The truth lies between `lo` and `hi`, apart from what `unknown` names. */
  readonly lo: number;
  readonly hi: number;
  /** What the value holds whose size cannot be known from JavaScript, with how often it was met. */
  readonly unknown: readonly Unknown[];
}

export interface Unknown {
  readonly kind: UnknownKind | 'unvisited';
  readonly count: number;
}

export interface MeasureOptions {
  /** Objects that belong to somebody else; they and what only they reach are left out. */
  readonly shared?: { has(object: object): boolean };
  /** Most objects to visit, default 10 million. Past it `hi` is infinite and `unknown` says how many are left. */
  readonly maxNodes?: number;
  /** Whether strings built by concatenation are flattened on the way, default true; unflattened ones hold up to 13 times what is reported. */
  readonly flatten?: boolean;
}

const defaultMaxNodes = 10_000_000;

/** Measures a value and everything it reaches, without recursion, without running getters or proxy traps, and without ever throwing. */
export function measure(value: unknown, options: MeasureOptions = {}): Measurement {
  const { widen } = selfCheck();
  const shared = options.shared;
  const maxNodes = options.maxNodes ?? defaultMaxNodes;
  const walk = new Walk({ flatten: options.flatten ?? true });
  const seen = new Set<object>();
  const enter = (node: object): boolean => {
    if (seen.has(node) || shared?.has(node) === true) return false;
    seen.add(node);
    return true;
  };
  walk.value(value);
  while (seen.size < maxNodes && step(walk, enter));
  walk.settle();
  const unknown: Unknown[] = [...walk.unknown].map(([kind, count]) => ({ kind, count }));
  const left = walk.pending.length + walk.cursors.length;
  if (left > 0) unknown.push({ kind: 'unvisited', count: left });
  return {
    bytes: walk.bytes,
    lo: Math.floor(walk.lo * widen.lo),
    hi: left > 0 ? Number.POSITIVE_INFINITY : Math.ceil(walk.hi * widen.hi),
    unknown,
  };
}
