import type { HeapGraph } from '../snapshot.ts';
import { type Candidate, isDominatedBy } from './candidate.ts';

const leastRatio = 0.1;
/** While one child keeps this part of its parent, the parent is only the way there. */
const passing = 0.7;

/**
 * Single objects that keep a tenth of the heap alive and that no other candidate explains: the accumulation points of
 * Eclipse MAT. Starts below the root and goes down while one child keeps most of it.
 */
export function findLarge(graph: HeapGraph, others: readonly Candidate[], heapBytes: number): Candidate[] {
  const dominators = graph.dominators();
  const found: Candidate[] = [];
  const stack = [graph.meta.rootNode];
  while (stack.length > 0) {
    const node = stack.pop() as number;
    for (const child of dominators.children(node)) {
      if (dominators.retainedBytes(child) < heapBytes * leastRatio) continue;
      const type = graph.nodeType(child);
      if (isPassage(graph, child) || type === 'synthetic') stack.push(child);
      else if (type !== 'code' && type !== 'object shape') found.push(accumulationPoint(graph, child));
    }
  }
  return found.filter((point) => !others.some((other) => overlaps(graph, point.entry, other)));
}

/** The global object and what is not visible dominate much without being anyone's. */
function isPassage(graph: HeapGraph, node: number): boolean {
  return !graph.isVisible(node) || /^(?:global|Window|ModuleWrap|ModuleLoader)\b/.test(graph.nodeName(node));
}

function accumulationPoint(graph: HeapGraph, top: number): Candidate {
  const dominators = graph.dominators();
  let node = top;
  let visible = top;
  for (;;) {
    const next = dominators.heaviestChild(node, 0);
    if (next < 0 || dominators.retainedBytes(next) < dominators.retainedBytes(node) * passing) break;
    node = next;
    if (graph.isVisible(node)) visible = node;
  }
  return {
    kind: 'large',
    holder: visible,
    entry: visible,
    count: 1,
    bytes: dominators.retainedBytes(visible),
  };
}

function overlaps(graph: HeapGraph, node: number, other: Candidate): boolean {
  return isDominatedBy(graph, other.holder, node) || isDominatedBy(graph, node, other.holder);
}
