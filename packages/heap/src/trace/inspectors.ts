import type { HeapGraph } from '../snapshot.ts';
import type { ScriptPlaces } from './script-place.ts';

/** Whether an object is expected to be gone: `no` it lives on, `yes` its life is over, `maybe` nobody knows. */
export type Leaking = 'no' | 'maybe' | 'yes';

interface Inspection {
  readonly leaking: Leaking;
  readonly why: string;
}

/** Classes that live as long as the process. */
const processLong = new Map<string, string>([
  ['global', 'the global object'],
  ['process', 'the process object'],
  ['TimersList', "Node's timers, lives as long as the process"],
  ['PriorityQueue', "Node's timers, lives as long as the process"],
  ['BuiltinModule', 'a module of Node'],
  ['ModuleLoader', 'the module loader'],
  ['ModuleWrap', 'a loaded module'],
  ['ModuleJob', 'a loaded module'],
  ['Module', 'a loaded module'],
  ['LoadCache', 'the module cache'],
  ['ResolveCache', 'the module cache'],
]);

/** Plimsoll's own objects hold what the program registered with it, as long as the process lives. */
const ownClass = /^Plimsoll[A-Z]/;

/** Properties whose being true says that an object has done its work. */
const ended = new Set([
  'closed',
  'isClosed',
  '_closed',
  'destroyed',
  '_destroyed',
  'disposed',
  'isDisposed',
  '_disposed',
  'ended',
  'finished',
  '_finished',
  'terminated',
  'released',
  'isStopped',
  'stopped',
  'completed',
  'settled',
]);

/** What is needed to judge an object. */
interface InspectContext {
  readonly graph: HeapGraph;
  readonly places: ScriptPlaces;
  readonly scopeOf: (node: number) => { readonly path: string; readonly state: string } | undefined;
}

/** Judges one object by its class, its flags and the scope that it is a root of. */
export function inspect({ graph, places, scopeOf }: InspectContext, node: number): Inspection {
  const scope = scopeOf(node);
  if (scope?.state === 'closed') return { leaking: 'yes', why: `its scope ${scope.path} is closed` };
  if (scope !== undefined) return { leaking: 'no', why: `its scope ${scope.path} is ${scope.state}` };
  const type = graph.nodeType(node);
  if (type === 'object') {
    const known = processLong.get(graph.nodeName(node).replace(/ [/(].*$/, ''));
    if (known !== undefined && !places.isOfProgram(node)) return { leaking: 'no', why: known };
    if (ownClass.test(graph.nodeName(node)))
      return { leaking: 'no', why: 'of Plimsoll, where the program registered it' };
    const flag = endedFlag(graph, node);
    if (flag !== undefined) return { leaking: 'yes', why: `its ${flag} is true` };
  }
  return { leaking: 'maybe', why: '' };
}

function endedFlag(graph: HeapGraph, node: number): string | undefined {
  const end = Math.min(graph.lastEdge(node), graph.firstEdge(node) + 64);
  for (let edge = graph.firstEdge(node); edge < end; edge++) {
    const to = graph.edgeTo(edge);
    if (!isTrue(graph, to)) continue;
    const name = graph.edgeName(edge);
    if (typeof name === 'string' && graph.edgeType(edge) === 'property' && ended.has(name)) return name;
  }
  return undefined;
}

/** Per graph, the node of the value true where its own name does not say so (Node 22). */
const knownTrue = new WeakMap<HeapGraph, number>();

function isTrue(graph: HeapGraph, node: number): boolean {
  if (graph.nodeType(node) !== 'hidden') return false;
  const name = graph.nodeName(node);
  if (name !== 'system / Oddball') return name === 'true';
  let found = knownTrue.get(graph);
  if (found === undefined) {
    found = rootNamed(graph, graph.meta.rootNode, 'true_value', 2);
    knownTrue.set(graph, found);
  }
  return found === node;
}

/** The node that one of V8's root categories refers to by this name, or -1. */
function rootNamed(graph: HeapGraph, from: number, name: string, depth: number): number {
  const end = graph.lastEdge(from);
  for (let edge = graph.firstEdge(from); edge < end; edge++) {
    const to = graph.edgeTo(edge);
    if (graph.edgeName(edge) === name) return to;
    const below =
      depth > 0 && graph.nodeType(to) === 'synthetic' ? rootNamed(graph, to, name, depth - 1) : -1;
    if (below >= 0) return below;
  }
  return -1;
}
