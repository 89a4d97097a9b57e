import type { Growth, Snapshot } from '@plimsoll/heap';

/** The objects of one class that own memory outside of V8. */
interface Wrapped {
  readonly name: string;
  count: number;
  bytes: number;
  /** The newest of them. V8's ids only grow. */
  newest: number;
}

export type WrapperCounts = ReadonlyMap<string, Wrapped>;

/** Marks of native objects in a snapshot: those wrapped by Node-API, and those of Node.js itself. */
const napiWrapper = '<symbol node:napi:wrapper>';
const ownWrapper = 'javascript_to_native';
/** Classes of which Node.js makes one object per module, in every program. */
const ownClasses = /^(?:ModuleWrap|ContextifyScript|ContextifyContext|BindingData)$/;
const mostRows = 3;
const fewest = 10;

/** Counts the native objects of a snapshot by class. */
export function wrappersIn({ graph, names }: Snapshot): WrapperCounts {
  const found = new Map<string, Wrapped>();
  for (let node = 0; node < graph.nodeCount; node++) {
    if (graph.nodeType(node) !== 'object' || !isWrapper(graph, node)) continue;
    const name = names.node(node);
    if (ownClasses.test(name)) continue;
    const known = found.get(name);
    if (known === undefined) {
      found.set(name, { name, count: 1, bytes: graph.selfBytes(node), newest: node });
      continue;
    }
    known.count++;
    known.bytes += graph.selfBytes(node);
    if (graph.nodeId(node) > graph.nodeId(known.newest)) known.newest = node;
  }
  return found;
}

function isWrapper(graph: Snapshot['graph'], node: number): boolean {
  const end = graph.lastEdge(node);
  for (let edge = graph.firstEdge(node); edge < end; edge++) {
    const name = graph.edgeName(edge);
    if (name === napiWrapper || name === ownWrapper) return true;
  }
  return false;
}

/** The classes with more wrappers than in the previous snapshot (or than none), most first, each with the path to its newest object. */
export function wrapperGrowth(
  last: Snapshot,
  counts: WrapperCounts,
  before: WrapperCounts | undefined,
): readonly Growth[] {
  const gained = ({ name, count }: Wrapped): number => count - (before?.get(name)?.count ?? 0);
  const rows = [...counts.values()]
    .filter((row) => gained(row) >= fewest)
    .sort((a, b) => gained(b) - gained(a))
    .slice(0, mostRows);
  const traces = last.tracesTo(rows.map(({ newest }) => newest));
  return rows.flatMap((row) => {
    const { name, count, bytes, newest } = row;
    const trace = traces.get(newest);
    if (trace === undefined) return [];
    const { fingerprint, code, steps } = trace;
    const earlier = before?.get(name);
    const from = earlier === undefined ? '' : `${earlier.count.toLocaleString('en-US')} → `;
    return {
      fingerprint,
      name,
      counts: [earlier?.count ?? 0, count],
      fresh: gained(row),
      bytes: [earlier?.bytes ?? 0, bytes],
      keptBytes: earlier?.bytes ?? 0,
      holders: 1,
      newBytes: bytes - (earlier?.bytes ?? 0),
      severity: 'medium',
      summary: `${from}${count.toLocaleString('en-US')} × ${name} are alive, each with memory of native code behind it`,
      code,
      trace: steps,
    };
  });
}
