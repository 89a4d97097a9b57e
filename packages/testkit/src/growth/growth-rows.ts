/**
 * Decides which of the growing paths are leaks. Three snapshots after known numbers of calls give for each path the objects gained per call
 * in both steps, and the number of the first snapshot's objects that are still there.
 */
import type { Growth } from '@plimsoll/heap';
import { withoutKit } from '../report/kit-file.ts';
import { cureOf } from '@plimsoll/leak/internal/proof/cure';
import type { LeakRow } from '../report/leak-report.ts';

/** A path that is known and accepted. */
export interface Ignore {
  /** A part of the path, such as `ToolRegistry.schemas`, or an expression that it matches. */
  readonly through: string | RegExp;
  /** The reason, which a reader finds beside the test. */
  readonly why: string;
}

/** Least pace of the second step, as a part of the first step's. A cache that fills up falls below it. */
const leastPace = 0.5;
/** Highest pace of the second step, as a multiple of the first step's. A buffer between two flushes exceeds it. */
const mostPace = 3;
/** Objects per call that a path must gain. Below this it is a table that is resized now and then. */
const leastPerCall = 0.02;
/** A leak keeps its objects. When less than this share of the first snapshot's objects is still there, the container replaces entries. */
const leastKept = 0.7;
/** Fewer objects than this may all be gone by chance. */
const fewestKept = 20;
/** Steps that only V8 itself sees; no code of a program adds to them. */
const inner = /^(?:system \/|\((?:code|compiled code|hidden|shape|object shape|array)\b)/;

interface Sorted {
  readonly leaks: readonly LeakRow[];
  readonly ignored: readonly { readonly code: string; readonly why: string }[];
}

/** The paths that grew with the calls in both steps, most bytes first. */
export function leaksIn(
  growth: readonly Growth[],
  steps: readonly [number, number],
  ignore: readonly Ignore[],
): Sorted {
  const grown = growth.filter((each) => isLeak(each, steps));
  const ignored = grown.flatMap((each) => {
    const found = ignore.find(({ through }) => isThrough(each, through));
    return found === undefined ? [] : [{ code: each.code, why: found.why }];
  });
  const leaks = apart(grown.filter((each) => !ignore.some(({ through }) => isThrough(each, through))));
  return { leaks: leaks.map((each) => rowOf(each, steps)), ignored };
}

function isLeak({ counts, fresh, name, trace }: Growth, [first, second]: readonly [number, number]): boolean {
  const [a = 0, b = 0, c = 0] = counts;
  const before = (b - a) / first;
  const after = (c - b) / second;
  const kept = Math.max(0, c - fresh);
  return (
    trace.length > 1 &&
    !inner.test(name) &&
    before >= leastPerCall &&
    after >= leastPerCall &&
    after >= leastPace * before &&
    after <= mostPace * before &&
    (a < fewestKept || kept >= leastKept * a)
  );
}

/** A path that ends below another one's holder is part of the same leak. */
function apart(grown: readonly Growth[]): readonly Growth[] {
  const kept: Growth[] = [];
  for (const each of grown) {
    const path = pathText(each.trace);
    if (!kept.some((other) => path.startsWith(holderText(other.trace)))) kept.push(each);
  }
  return kept;
}

function holderText(trace: Growth['trace']): string {
  const at = trace.findIndex((step) => step.suspect);
  return pathText(at < 0 ? trace : trace.slice(0, at + 1));
}

function pathText(trace: Growth['trace']): string {
  return trace.map(({ via, name }) => `${via} ${name}`).join('\n');
}

/** Whether a path goes through a place: `Owner.reference`, one of both alone, or an expression over all of them. */
function isThrough({ trace, code }: Growth, through: string | RegExp): boolean {
  const places = trace.map(({ via, name }, i) => `${trace[i - 1]?.name ?? ''}.${via} ${name}`);
  if (typeof through !== 'string') return through.test(`${places.join(' > ')} ${code}`);
  return code.includes(through) || places.some((place) => place.includes(through));
}

function rowOf(growth: Growth, [first, second]: readonly [number, number]): LeakRow {
  const { fingerprint, name, counts, newBytes, code, knownLeak } = growth;
  const gained = (counts.at(-1) ?? 0) - (counts[0] ?? 0);
  const trace = withoutKit(growth.trace);
  return {
    fingerprint,
    name,
    counts,
    objectsPerCall: gained / (first + second),
    bytes: newBytes,
    trace,
    code,
    ...(knownLeak && { knownLeak }),
    fix: knownLeak?.cure ?? cureOf(trace),
  };
}
