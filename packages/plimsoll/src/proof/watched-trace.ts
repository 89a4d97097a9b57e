import type { Snapshot, TraceStep } from '@plimsoll/heap';

/** The retaining path of an object that a closed scope was to leave behind. */
export interface WatchedTrace {
  readonly scope: string;
  readonly label: string;
  readonly retainedBytes: number;
  readonly fingerprint: string;
  readonly trace: readonly TraceStep[];
}

const tokenName = 'PlimsollWatched';
const mostTraces = 4;
const deepestRope = 32;

/**
 * Finds the objects that scopes watch, by the token that hangs on each of them, and what holds those of the named scopes. A token is
 * the value of a WeakMap whose key is the object, so that the object is the token's retainer.
 */
export function watchedTraces(snapshot: Snapshot, scopes: readonly string[]): readonly WatchedTrace[] {
  const { graph } = snapshot;
  const found: WatchedTrace[] = [];
  for (let node = 0; node < graph.nodeCount && found.length < mostTraces; node++) {
    if (graph.nodeType(node) !== 'object' || graph.nodeName(node) !== tokenName) continue;
    const { path, label } = fieldsOf(snapshot, node);
    if (path === undefined || label === undefined || !scopes.includes(path)) continue;
    if (found.some((each) => each.label === label)) continue;
    const holder = ownerOf(snapshot, node);
    const [trace] = holder === undefined ? [] : snapshot.pathsTo(graph.nodeId(holder), { limit: 1 });
    if (holder === undefined || trace === undefined) continue;
    found.push({
      scope: path,
      label,
      retainedBytes: graph.dominators().retainedBytes(holder),
      fingerprint: trace.fingerprint,
      trace: trace.steps,
    });
  }
  return found;
}

function fieldsOf({ graph }: Snapshot, token: number): { path?: string; label?: string } {
  const fields: { path?: string; label?: string } = {};
  graph.forEachEdge(token, (edge, to) => {
    const name = graph.edgeName(edge);
    if (name === 'path' || name === 'label') fields[name] = textOf(graph, to);
  });
  return fields;
}

/** The text of a string; one made by joining others is two halves in the snapshot. */
function textOf(graph: Snapshot['graph'], node: number, depth = 0): string {
  if (graph.nodeType(node) !== 'concatenated string' || depth > deepestRope) return graph.nodeName(node);
  let first = '';
  let second = '';
  graph.forEachEdge(node, (edge, to) => {
    const name = graph.edgeName(edge);
    if (name === 'first') first = textOf(graph, to, depth + 1);
    if (name === 'second') second = textOf(graph, to, depth + 1);
  });
  return first + second;
}

/** The key of the WeakMap entry that the token is the value of. */
function ownerOf({ graph }: Snapshot, token: number): number | undefined {
  for (const { from } of graph.retainers(token)) {
    const type = graph.nodeType(from);
    if ((type === 'object' || type === 'closure') && graph.nodeName(from) !== tokenName) return from;
  }
  return undefined;
}
