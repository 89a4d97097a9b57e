import { types } from 'node:util';
import { measure } from '@plimsoll/core/internal/meter/measure';
import type { ContainerKind, FoundContainer } from './found-container.ts';
import { classOf } from './container-name.ts';
import { sampledValues, spread, type KeySample } from './key-sample.ts';
import { innerEntries } from './inner-lists.ts';
import { mayHideFields } from './private-fields.ts';

/** The size of one entry of a container, from a sample. */
export interface EntryWeight {
  /** Bytes of one entry, the median of a few, without the variables of functions. */
  readonly entryBytes: number;
  /** True when entries hold functions, objects with private fields or others whose size is unknown. */
  readonly isLight: boolean;
  /**
   * True when entries hold texts. Joined texts hold up to 13 times the visible bytes, and slices keep the whole text from which they were
   * cut.
   */
  readonly hasTexts: boolean;
  /** The class of the entries, where they have one in common that the program has named. */
  readonly entryClass?: string;
  /** Bytes of the buffer that an entry keeps by a small view of it, where most of them do. */
  readonly slicedBytes?: number;
}

const samples = 7;
const nameless = new Set(['', 'Object', 'Array', 'Map', 'Set', 'Date', 'Promise']);
const mostNodes = 2000;
/** Shorter strings are never slices and are hardly ever joined ones. */
const shortestSlice = 13;
const mostDepth = 3;
const mostFields = 16;
/** A view is small when its buffer has at least this many times its bytes. */
const sliceRatio = 4;

/**
 * The median of a few entries: from all parts of an array, from the oldest entries of other containers. The values of a Map may be indexes of
 * lists beside it, with the rest of each entry.
 */
export function weigh(
  object: object | undefined,
  container: Pick<FoundContainer, 'kind' | 'links' | 'sample'>,
  beside: readonly (readonly unknown[])[] = [],
): EntryWeight {
  const { kind } = container;
  if (kind === 'text') return { entryBytes: 1024, isLight: false, hasTexts: true };
  if (object === undefined || !isWeighed(kind)) return { entryBytes: 0, isLight: true, hasTexts: false };
  const entries = entriesOf(object, container).map((entry) => wholeOf(entry, beside));
  const found = entries.map((entry) => measure(entry, { maxNodes: mostNodes, flatten: false }));
  const bytes = found.map((each) => each.bytes).toSorted((a, b) => a - b);
  const isEndless = found.some(({ unknown }) => unknown.some((each) => each.kind === 'unvisited'));
  return {
    entryBytes: isEndless ? marginOf(entries) : (bytes[bytes.length >> 1] ?? 0),
    isLight:
      found.some(({ unknown }) => unknown.length > 0) || entries.some((entry) => holds(entry, isHiding)),
    hasTexts: entries.some((entry) => holds(entry, isText)),
    ...slicedOf(entries),
    ...classIn(entries, kind),
  };
}

/** Bytes that one more entry adds when entries share objects. 0 when each entry leads to all others, so that the size of one is unknown. */
function marginOf(entries: readonly unknown[]): number {
  const limits = { maxNodes: mostNodes * samples, flatten: false };
  const all = measure(entries, limits);
  if (entries.length < 2 || all.unknown.some(({ kind }) => kind === 'unvisited')) return 0;
  return Math.max(0, (all.bytes - measure(entries.slice(0, 1), limits).bytes) / (entries.length - 1));
}

function isWeighed(kind: ContainerKind): boolean {
  return kind === 'Map' || kind === 'Set' || kind === 'Array' || kind === 'object' || kind === 'lists';
}

function entriesOf(
  object: object,
  { kind, links, sample }: Pick<FoundContainer, 'kind' | 'links' | 'sample'>,
): readonly unknown[] {
  if (kind === 'lists') return innerEntries(valuesOf(object, sample), links?.first, samples);
  if (kind === 'Array') return spread(object as readonly unknown[], samples);
  if (kind === 'object') return spread(sample === undefined ? [] : sampledValues(object, sample), samples);
  return (object as Map<unknown, unknown>).entries().take(samples).toArray();
}

function wholeOf(entry: unknown, beside: readonly (readonly unknown[])[]): unknown {
  const index: unknown = beside.length > 0 && Array.isArray(entry) ? entry[1] : undefined;
  return typeof index === 'number' ? [entry, ...beside.map((list) => list[index])] : entry;
}

/** The entries of a Map, Set or array, without keys, or the sampled entries of an object. */
export function valuesOf(object: object, sample: KeySample | undefined): Iterable<unknown> {
  if (sample !== undefined) return sampledValues(object, sample);
  return Array.isArray(object) ? object : (object as Set<unknown>).values();
}

function slicedOf(entries: readonly unknown[]): { readonly slicedBytes?: number } {
  const kept: number[] = [];
  for (const entry of entries)
    holds(entry, (value) => {
      const isSlice = ArrayBuffer.isView(value) && value.buffer.byteLength > sliceRatio * value.byteLength;
      if (isSlice) kept.push(value.buffer.byteLength);
      return isSlice;
    });
  const middle = kept.toSorted((a, b) => a - b)[kept.length >> 1];
  return middle !== undefined && 2 * kept.length > entries.length ? { slicedBytes: middle } : {};
}

/** Plain objects and lists say nothing by their class. */
function classIn(entries: readonly unknown[], kind: ContainerKind): { readonly entryClass?: string } {
  const isPaired = kind === 'Map' || kind === 'Set';
  const values = isPaired ? entries.map((entry) => (entry as readonly unknown[])[1]) : entries;
  const classes = new Set(
    values.map((value) =>
      typeof value === 'object' && value !== null && !types.isProxy(value) ? classOf(value) : '',
    ),
  );
  const [only = ''] = classes;
  return classes.size !== 1 || nameless.has(only) ? {} : { entryClass: only };
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length >= shortestSlice;
}

function isHiding(value: unknown): boolean {
  return typeof value === 'object' && value !== null && mayHideFields(value);
}

function holds(value: unknown, test: (value: unknown) => boolean, depth = mostDepth): boolean {
  if (test(value)) return true;
  if (
    typeof value !== 'object' ||
    value === null ||
    depth === 0 ||
    types.isProxy(value) ||
    ArrayBuffer.isView(value)
  )
    return false;
  return Object.keys(value)
    .slice(0, mostFields)
    .some((key) => holds(Reflect.getOwnPropertyDescriptor(value, key)?.value, test, depth - 1));
}
