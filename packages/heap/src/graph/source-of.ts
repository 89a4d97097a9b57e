import type { Columns } from './columns.ts';

/** The node an edge goes out of. */
export function sourceOf(columns: Columns, edge: number): number {
  const { firstEdge, nodeCount } = columns;
  let low = 0;
  let high = nodeCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((firstEdge[middle + 1] as number) <= edge) low = middle + 1;
    else high = middle;
  }
  return low;
}
