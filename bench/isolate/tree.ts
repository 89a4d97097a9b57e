import { readdirSync, readFileSync } from 'node:fs';

/** Memory of a process and everything below it, without counting shared pages twice (Pss). */
export function treeBytes(pid: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = read(`/proc/${name}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (parent > 0) parents.set(Number(name), parent);
  }
  const isBelow = (each: number): boolean =>
    each === pid || (parents.has(each) && isBelow(parents.get(each) as number));
  return [...parents.keys()]
    .filter(isBelow)
    .reduce(
      (sum, each) => sum + 1024 * Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${each}/smaps_rollup`))?.[1] ?? 0),
      0,
    );
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
