import type { HeapGraph } from '../snapshot.ts';
import { ownerOf, type Candidate } from './candidate.ts';

const fewestHops = 40;
const longestPeriod = 6;
const firstLinks = 24;

/**
 * Long chains in which each object alone keeps the next of its kind alive: listener lists, promises that wait for promises.
 * Follows the heaviest child down the dominator tree and looks for a sequence of classes that repeats.
 */
export function findChains(graph: HeapGraph, heavy: Uint32Array, leastBytes: number): Candidate[] {
  const seen = new Uint8Array(graph.nodeCount);
  const found: Candidate[] = [];
  for (const node of heavy) {
    if (seen[node] === 1) continue;
    const spine = heaviestSpine(graph, node, seen, leastBytes / 200);
    if (spine.length >= fewestHops) found.push(...repeating(graph, spine, leastBytes));
  }
  return found;
}

function heaviestSpine(graph: HeapGraph, top: number, seen: Uint8Array, leastBytes: number): number[] {
  const dominators = graph.dominators();
  const spine: number[] = [];
  for (let node = top; node >= 0 && seen[node] === 0;) {
    seen[node] = 1;
    spine.push(node);
    node = dominators.heaviestChild(node, leastBytes);
  }
  return spine;
}

function repeating(graph: HeapGraph, spine: readonly number[], leastBytes: number): Candidate[] {
  const dominators = graph.dominators();
  const kinds = spine.map((node) => `${graph.nodeType(node)} ${graph.nodeNameIndex(node)}`);
  const found: Candidate[] = [];
  for (let at = 0; at < spine.length;) {
    const run = runAt(kinds, at);
    const head = spine[at] as number;
    const tail = spine[at + run.length - 1] as number;
    const bytes = dominators.retainedBytes(head) - dominators.retainedBytes(tail);
    const hops = Math.floor(run.length / run.period);
    if (hops >= fewestHops && bytes >= leastBytes && isUserChain(graph, spine.slice(at, at + run.period))) {
      const link = heaviestLink(graph, spine, at, run);
      const holder = ownerOf(graph, dominators.idom(head));
      found.push({ kind: 'chain', holder, entry: visibleOf(graph, link, spine), count: hops, bytes });
    }
    at += Math.max(1, run.length - run.period);
  }
  return found;
}

/** The link among the first that carries most besides the next: it shows what the chain keeps. */
function heaviestLink(
  graph: HeapGraph,
  spine: readonly number[],
  at: number,
  run: { period: number; length: number },
): number {
  const dominators = graph.dominators();
  let best = spine[at + run.period] as number;
  let most = -1;
  const last = Math.min(at + run.length - 1 - run.period, at + firstLinks * run.period);
  for (let i = at + run.period; i <= last; i += run.period) {
    const link = spine[i] as number;
    const own = dominators.retainedBytes(link) - dominators.retainedBytes(spine[i + run.period] as number);
    if (own > most) {
      most = own;
      best = link;
    }
  }
  return best;
}

/** The link itself, or what hangs on a link that is not visible: of a list of promise reactions, what waits. */
function visibleOf(graph: HeapGraph, link: number, spine: readonly number[]): number {
  if (graph.isVisible(link)) return link;
  const dominators = graph.dominators();
  const next = spine[spine.indexOf(link) + 1];
  let best = -1;
  for (const child of dominators.children(link)) {
    if (child === next || !graph.isVisible(child)) continue;
    if (best < 0 || dominators.retainedBytes(child) > dominators.retainedBytes(best)) best = child;
  }
  if (best >= 0) return best;
  return next !== undefined && graph.isVisible(next) ? next : ownerOf(graph, link);
}

function runAt(kinds: readonly string[], at: number): { period: number; length: number } {
  let best = { period: 1, length: 1 };
  for (let period = 1; period <= longestPeriod; period++) {
    let end = at + period;
    while (end < kinds.length && kinds[end] === kinds[end - period]) end++;
    if (end - at > best.length + longestPeriod) best = { period, length: end - at };
  }
  return best;
}

/** Shapes and code form chains of their own that nobody can cut. */
function isUserChain(graph: HeapGraph, period: readonly number[]): boolean {
  return period.some((node) => {
    const type = graph.nodeType(node);
    if (type === 'hidden') return graph.nodeName(node) === 'system / PromiseReaction';
    return type === 'object' || type === 'closure' || type === 'native' || type === 'concatenated string';
  });
}
