import type { Snapshot } from '../opened-snapshot.ts';
import { isText } from '../trace/node-kind.ts';
import { countText } from '../byte-text.ts';

/** One rectangle of the treemap: an object, or many of one class. Short keys, since a report holds thousands. */
export interface TreemapNode {
  /** Name. */
  readonly n: string;
  /** Retained bytes. */
  readonly b: number;
  /** Id of the object; absent for many. */
  readonly i?: number;
  /** What lies inside, largest first. */
  readonly c?: readonly TreemapNode[];
}

const leastRatio = 0.002;
const mostChildren = 60;
const deepest = 12;
const fewestAlike = 8;

/** The dominator tree as far as it can be seen: objects below 0.2 % of the heap are left out, those of one class put together. */
export function treemapTree(snapshot: Snapshot): TreemapNode {
  const { graph } = snapshot;
  const least = snapshot.heapBytes * leastRatio;
  const root = graph.meta.rootNode;
  return {
    n: 'heap',
    b: snapshot.heapBytes,
    c: inside(snapshot, opened(snapshot, snapshot.visibleChildren(root)), least, 0),
  };
}

/** Replaces an object that holds almost everything, such as the global object, by its content. */
function opened(snapshot: Snapshot, nodes: readonly number[]): number[] {
  const dominators = snapshot.graph.dominators();
  return nodes.flatMap((node) =>
    dominators.retainedBytes(node) > snapshot.heapBytes * 0.8
      ? opened(snapshot, snapshot.visibleChildren(node))
      : [node],
  );
}

function inside(snapshot: Snapshot, nodes: readonly number[], least: number, depth: number): TreemapNode[] {
  const { graph, names } = snapshot;
  const dominators = graph.dominators();
  const bytesOf = (node: number): number => dominators.retainedBytes(node);
  const found: TreemapNode[] = [];
  for (const alike of byClass(snapshot, nodes)) {
    const bytes = alike.reduce((sum, node) => sum + bytesOf(node), 0);
    if (bytes < least) continue;
    const first = alike[0] as number;
    if (alike.length >= fewestAlike && bytesOf(first) < bytes / 2) {
      found.push({ n: `${countText(alike.length)} × ${classOf(snapshot, first)}`, b: bytes });
      continue;
    }
    for (const node of alike.filter((each) => bytesOf(each) >= least)) {
      const children =
        depth < deepest ? inside(snapshot, snapshot.visibleChildren(node), least, depth + 1) : [];
      found.push({
        n: names.node(node),
        b: bytesOf(node),
        i: graph.nodeId(node),
        ...(children.length > 0 && { c: children }),
      });
    }
  }
  return found.sort((a, b) => b.b - a.b).slice(0, mostChildren);
}

/** Plain objects of one group need not be alike, and no text stands for the others. */
function classOf({ graph, names }: Snapshot, node: number): string {
  const type = graph.nodeType(node);
  if (isText(type)) return '(string)';
  return type === 'closure' ? names.node(node) : names.className(type, graph.nodeName(node)) || 'Object';
}

function byClass({ graph }: Snapshot, nodes: readonly number[]): number[][] {
  const groups = new Map<number | undefined, number[]>();
  for (const node of nodes) {
    const key = graph.classKey(node);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [node]);
    else known.push(node);
  }
  const dominators = graph.dominators();
  for (const group of groups.values()) {
    group.sort((a, b) => dominators.retainedBytes(b) - dominators.retainedBytes(a));
  }
  return [...groups.values()];
}
