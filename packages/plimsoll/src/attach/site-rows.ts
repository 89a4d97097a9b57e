/** A node of V8's sampling heap profile. */
export interface SamplingNode {
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly selfSize: number;
  readonly children: readonly SamplingNode[];
}

/** A place in the code and the live bytes that it allocated. */
export interface AttachedSite {
  readonly site: string;
  readonly bytes: number;
  /** Share of all sampled bytes, 0 to 1. */
  readonly ratio: number;
}

const mostRows = 20;

/** Live bytes by allocating function, most first. */
export function siteRows(head: SamplingNode): readonly AttachedSite[] {
  const sites = new Map<string, number>();
  let total = 0;
  const stack: SamplingNode[] = [head];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    stack.push(...node.children);
    if (node.selfSize === 0) continue;
    total += node.selfSize;
    const site = siteOf(node.callFrame);
    sites.set(site, (sites.get(site) ?? 0) + node.selfSize);
  }
  return [...sites]
    .map(([site, bytes]) => ({ site, bytes, ratio: bytes / total }))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, mostRows);
}

function siteOf({ functionName, url, lineNumber }: SamplingNode['callFrame']): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  const file = url
    .replace(/^file:\/\//, '')
    .split('/')
    .slice(-3)
    .join('/');
  return file === '' ? name : `${name} (${file}:${lineNumber + 1})`;
}
