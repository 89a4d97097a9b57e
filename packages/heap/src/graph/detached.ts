import { edgeTarget } from './edge-target.ts';
import type { Scan } from '../read/scan.ts';
import { detachedShift, typeMask } from './columns.ts';

const attached = 1;
const detached = 2;

/**
 * Native nodes that no document holds any more. The embedder marks the roots of trees as attached or detached; what an
 * attached node reaches is attached, and what only detached nodes reach is detached (as in Chrome DevTools). Updates
 * the marks of the nodes on the way.
 */
export function detachedNodes(scan: Scan): readonly number[] {
  if (!scan.knowsDetached) return [];
  const { columns, layout } = scan;
  const { kind, nodeCount } = columns;
  const native = layout.nodeTypes.indexOf('native');
  const queues: readonly [number[], number[]] = [[], []];
  const visited = new Set<number>();
  const found: number[] = [];
  const process = (n: number, state: number): void => {
    if (visited.has(n) || ((kind[n] as number) & typeMask) !== native) return;
    visited.add(n);
    kind[n] = native | (state << detachedShift);
    if (state === attached) queues[0].push(n);
    else if (state === detached) {
      found.push(n);
      queues[1].push(n);
    }
  };
  for (let n = 0; n < nodeCount; n++) {
    const state = (kind[n] as number) >>> detachedShift;
    if (state !== 0) process(n, state);
  }
  spread(queues[0], attached);
  spread(queues[1], detached);
  return found;

  function spread(queue: number[], state: number): void {
    for (let n = queue.pop(); n !== undefined; n = queue.pop()) {
      for (let e = columns.firstEdge[n] as number, end = columns.firstEdge[n + 1] as number; e < end; e++) {
        const type = layout.edgeTypes[scan.edgeNames.type(e)];
        if (type !== 'hidden' && type !== 'weak') process(edgeTarget(scan, e), state);
      }
    }
  }
}
