import { inspect } from '../trace/inspectors.ts';
import type { TraceContext } from '../trace/leak-trace.ts';
import type { Candidate } from './candidate.ts';

/** How many of the entries of a collection have done their work and should be gone. */
export interface Ended {
  /** Part of the entries looked at, 0 to 1. */
  readonly ratio: number;
  /** The reason that most of them give. */
  readonly why: string;
  /** One of them. */
  readonly example: number;
}

const examined = 200;

/** Looks at up to 200 entries, evenly spread; undefined when none of them is over. */
export function endedEntries(context: TraceContext, candidate: Candidate): Ended | undefined {
  if (candidate.kind !== 'collection') return undefined;
  const entries = sampleOf(context, candidate);
  const found: { entry: number; why: string }[] = [];
  for (const entry of entries) {
    const verdict = inspect(context, entry);
    if (verdict.leaking === 'yes') found.push({ entry, why: verdict.why });
  }
  const middle = found[found.length >> 1];
  if (middle === undefined) return undefined;
  const why = middle.why.startsWith('its scope')
    ? 'their scopes are closed'
    : middle.why.replace(/^its/, 'their');
  return { ratio: found.length / entries.length, why, example: middle.entry };
}

function sampleOf({ graph }: TraceContext, candidate: Candidate): number[] {
  const container = candidate.between?.[0] ?? candidate.holder;
  const key = graph.classKey(candidate.entry);
  const first = graph.firstEdge(container);
  const end = graph.lastEdge(container);
  const step = Math.max(1, Math.floor((end - first) / examined / 2));
  const seen = new Set<number>();
  for (let edge = first; edge < end && seen.size < examined; edge += step) {
    // Keys and values alternate in a table, so an even step must not see keys only.
    for (const near of [edge, edge + 1]) {
      if (near >= end) continue;
      const to = graph.edgeTo(near);
      if (graph.classKey(to) === key) seen.add(to);
    }
  }
  return [...seen];
}
