import type { TraceContext } from '../trace/leak-trace.ts';
import { isText } from '../trace/node-kind.ts';
import type { Hop } from '../graph/path-search.ts';
import type { Candidate } from './candidate.ts';

const byKind: Readonly<Record<Candidate['kind'], number>> = {
  chain: 1.2,
  collection: 1,
  handles: 1,
  fan: 0.9,
  large: 0.3,
};

/** Classes that programs have by the hundred without anything being wrong: modules, their wrappers, Node's error classes. */
const ownClasses =
  /^(?:BuiltinModule|Module|ModuleWrap|ModuleJob|ModuleJobSync|SourceTextModule|ContextifyScript|NodeError|wrappedFn|internalBinding|FunctionTemplateInfo)$/;

/** Objects that a path to Node's or the loader's own structures runs through. */
const ownHolders =
  /^(?:BuiltinModule|ModuleLoader|ModuleMap|LoadCache|ResolveCache|ModuleLoadMap|internalBinding|primordials)$/;

/** How suspicious a candidate is, in bytes: what it holds, weighed by how much it looks like a leak. */
export function scoreOf({ graph, places }: TraceContext, candidate: Candidate, path: readonly Hop[]): number {
  const entry = candidate.entry;
  const type = graph.nodeType(entry);
  const name = graph.nodeName(entry);
  let weight = byKind[candidate.kind];
  // A hundred alike may be a table that someone wrote; ten thousand were made by a loop.
  if (candidate.kind !== 'large') weight *= Math.min(1.2, Math.max(0.25, Math.log10(candidate.count) / 3));
  // A program may have a class of the same name.
  if (ownClasses.test(name) && !places.isOfProgram(entry)) weight *= 0.02;
  if (isText(type)) weight *= 0.6;
  // Arrays and plain objects that one object dominates need not have anything to do with each other.
  if (candidate.kind === 'fan' && (name === 'Array' || name === 'Object')) weight *= 0.6;
  for (const hop of path) {
    const holder = graph.nodeName(hop.to);
    if (hop.to !== entry && ownHolders.test(holder) && !places.isOfProgram(hop.to))
      return candidate.bytes * weight * 0.05;
    const via = graph.edgeName(hop.edge);
    if (via === 'feedback_cell') weight *= 0.2;
    // require.cache and the cache of resolved paths.
    if (graph.nodeName(hop.from) === 'Module' && (via === '_cache' || via === '_pathCache')) weight *= 0.05;
  }
  return candidate.bytes * weight;
}
