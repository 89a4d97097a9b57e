import { window as w } from './window.ts';

/**
 * Cuts single buckets of the finest level that stand above both neighbours, load taken out: a collection that ran in the middle of
 * something large. The newest bucket has one neighbour and is held to the two before it.
 */
export function despike(loadSlope: number): void {
  const { n, y, load, level } = w;
  let before = (y[0] as number) - loadSlope * (load[0] as number);
  let beforeThat = before;
  for (let i = 1; i < n; i++) {
    const byLoad = loadSlope * (load[i] as number);
    const own = (y[i] as number) - byLoad;
    const next = i + 1 < n ? (y[i + 1] as number) - loadSlope * (load[i + 1] as number) : beforeThat;
    const top = Math.max(before, next);
    if (level[i] === 0 && own > top) y[i] = top + byLoad;
    beforeThat = before;
    before = own;
  }
}
