import type { Snapshot, TraceStep } from '@plimsoll/heap';
import { scopeLabel } from '../survivors/survivor-claims.ts';

/** The retaining path of an object that should be gone after its scope closed. */
export interface WatchedTrace {
  readonly scope: string;
  /** Kind of the scope. */
  readonly kind: string;
  readonly label: string;
  /** Mean bytes that one object of this kind and label retains in the snapshot. */
  readonly retainedBytes: number;
  readonly fingerprint: string;
  readonly trace: readonly TraceStep[];
  /** Other watched objects on the path, nearest to the root first. Their holder also holds this one. */
  readonly through: readonly { readonly kind: string; readonly label: string }[];
}

/** A watched object and its scope. */
interface Watch {
  readonly owner: number;
  readonly scope: string;
  readonly kind: string;
  readonly label: string;
}

const tokenName = 'PlimsollWatched';
const recordName = 'ScopeRecord';
const scopeName = 'Scope';
const mostTraces = 16;
const deepestRope = 32;

/**
 * Finds the objects that scopes watch by their tokens, and the scopes themselves by their records, with the holders for the named scopes. A
 * token is the value of a WeakMap whose key is the object, so that the object is the token's retainer.
 */
export function watchedTraces(snapshot: Snapshot, scopes: readonly string[]): readonly WatchedTrace[] {
  const { graph } = snapshot;
  const watches = watchesIn(snapshot);
  const byId = new Map(watches.map((watch) => [graph.nodeId(watch.owner), watch]));
  const wanted = new Map<string, Watch>();
  for (const watch of [...watches, ...scopesIn(snapshot, new Set(scopes))]) {
    const key = `${watch.scope}\0${watch.label}`;
    if (scopes.includes(watch.scope) && !wanted.has(key) && wanted.size < mostTraces) wanted.set(key, watch);
  }
  const traces = snapshot.tracesTo([...wanted.values()].map(({ owner }) => owner));
  const means = wanted.size === 0 ? new Map<string, number>() : meanBytes(snapshot, watches);
  return [...wanted.values()].flatMap((watch) => {
    const { owner, scope, kind, label } = watch;
    const trace = traces.get(owner);
    if (trace === undefined) return [];
    const { fingerprint, steps } = trace;
    const retainedBytes = means.get(groupKey(watch)) ?? graph.dominators().retainedBytes(owner);
    const through = steps.slice(0, -1).flatMap(({ id }) => byId.get(id) ?? []);
    return {
      scope,
      kind,
      label,
      retainedBytes,
      fingerprint,
      trace: steps,
      through: through.map((each) => ({ kind: each.kind, label: each.label })),
    };
  });
}

const groupKey = ({ kind, label }: Watch): string => `${kind}\0${label}`;

function watchesIn(snapshot: Snapshot): readonly Watch[] {
  const { graph } = snapshot;
  const found: Watch[] = [];
  for (const node of instancesOf(snapshot, tokenName)) {
    const { path, label } = textFields(graph, node, ['path', 'label']);
    if (path === undefined || label === undefined) continue;
    const owner = ownerOf(snapshot, node);
    if (owner !== undefined) found.push({ owner, scope: path, kind: kindOf(path), label });
  }
  return found;
}

/** The scope objects themselves, of the named scopes. */
function scopesIn(snapshot: Snapshot, scopes: ReadonlySet<string>): readonly Watch[] {
  const { graph } = snapshot;
  const found: Watch[] = [];
  for (const node of instancesOf(snapshot, recordName)) {
    const path = textFields(graph, node, ['#path'])['#path'];
    if (path === undefined || !scopes.has(path)) continue;
    const owner = [...graph.retainers(node)].find(({ from }) => graph.nodeName(from) === scopeName)?.from;
    if (owner !== undefined) found.push({ owner, scope: path, kind: kindOf(path), label: scopeLabel });
  }
  return found;
}

/** Mean retained bytes by kind and label, because a single object may be the smallest one. */
function meanBytes({ graph }: Snapshot, watches: readonly Watch[]): ReadonlyMap<string, number> {
  const sums = new Map<string, { bytes: number; count: number }>();
  const dominators = graph.dominators();
  for (const watch of watches) {
    const key = groupKey(watch);
    const sum = sums.get(key) ?? { bytes: 0, count: 0 };
    sum.bytes += dominators.retainedBytes(watch.owner);
    sum.count++;
    sums.set(key, sum);
  }
  return new Map([...sums].map(([key, { bytes, count }]) => [key, Math.round(bytes / count)]));
}

/** The class name is one string of the table, so its index finds all instances. */
function* instancesOf({ graph }: Snapshot, name: string): Generator<number> {
  let index = -1;
  for (let node = 0; node < graph.nodeCount; node++) {
    if (graph.nodeType(node) !== 'object') continue;
    if (index < 0 && graph.nodeName(node) === name) index = graph.nodeNameIndex(node);
    if (index >= 0 && graph.nodeNameIndex(node) === index) yield node;
  }
}

/** The kind of a scope by its path, whose last step is `kind:name`. */
function kindOf(path: string): string {
  const step = path.slice(path.lastIndexOf('/') + 1);
  return step.slice(0, step.indexOf(':'));
}

function textFields<Name extends string>(
  graph: Snapshot['graph'],
  node: number,
  names: readonly Name[],
): { [Key in Name]?: string } {
  const fields: { [Key in Name]?: string } = {};
  graph.forEachEdge(node, (edge, to) => {
    const name = graph.edgeName(edge) as Name;
    if (names.includes(name)) fields[name] = textOf(graph, to);
  });
  return fields;
}

/** The text of a string. A joined string is two halves in the snapshot. */
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

/** The key of the WeakMap entry whose value is the token. */
function ownerOf({ graph }: Snapshot, token: number): number | undefined {
  for (const { from } of graph.retainers(token)) {
    const type = graph.nodeType(from);
    if ((type === 'object' || type === 'closure') && graph.nodeName(from) !== tokenName) return from;
  }
  return undefined;
}
