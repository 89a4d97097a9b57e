import type { Scan } from '../read/scan.ts';

const targetMask = 0x7fff_ffff;

/** The node an edge leads to, once dominators are known: targets are preorder numbers then. */
export function edgeTarget(scan: Scan, edge: number): number {
  return scan.space.vertex[(scan.columns.to[edge] as number) & targetMask] as number;
}
