import { failure } from '../errors.ts';
import type { HeapGraph } from '../snapshot.ts';
import { buildTrace, type LeakTrace, type TraceContext } from './leak-trace.ts';

/** One way in which instances of a class are held, and how many of those looked at are held so. */
export interface ClassPath {
  readonly instances: number;
  readonly trace: LeakTrace;
}

const examined = 200;

/** The ways in which the instances of a class are held, most common first; looks at up to 200 instances, evenly spread. */
export function classPaths(
  context: TraceContext,
  file: string,
  name: string,
): { instances: number; paths: ClassPath[] } {
  const nodes = instancesOf(context.graph, name);
  if (nodes.length === 0) {
    throw failure('PLM_HEAP_NO_CLASS', { file, name, near: namesNear(context.graph, name) });
  }
  const step = Math.max(1, nodes.length / examined);
  const sample = Array.from(
    { length: Math.min(examined, nodes.length) },
    (_, i) => nodes[Math.floor(i * step)] as number,
  );
  const groups = new Map<string, { instances: number; trace: LeakTrace }>();
  for (const path of context.graph.paths(sample).values()) {
    const trace = buildTrace(context, path);
    const key = trace.pattern.map((part) => `${part.via} ${part.name}`).join('\n');
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { instances: 1, trace });
    else known.instances++;
  }
  return { instances: nodes.length, paths: [...groups.values()].sort((a, b) => b.instances - a.instances) };
}

function instancesOf(graph: HeapGraph, name: string): number[] {
  const found: number[] = [];
  const wanted = name.endsWith('()')
    ? { type: 'closure', name: name.slice(0, -2) }
    : { type: 'object', name };
  let index = -1;
  for (let node = 0; node < graph.nodeCount; node++) {
    const type = graph.nodeType(node);
    if (type !== wanted.type && !(type === 'native' && wanted.type === 'object')) continue;
    if (index < 0 && graph.nodeName(node) === wanted.name) index = graph.nodeNameIndex(node);
    if (index >= 0 && graph.nodeNameIndex(node) === index) found.push(node);
  }
  return found;
}

function namesNear(graph: HeapGraph, name: string): string[] {
  const stem = name.toLowerCase().slice(0, Math.max(3, Math.ceil(name.length * 0.6)));
  return graph
    .constructors()
    .map((row) => row.name)
    .filter((known) => known.toLowerCase().includes(stem) && !known.startsWith('{'))
    .slice(0, 5);
}
