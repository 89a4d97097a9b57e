import type { HeapGraph } from '../snapshot.ts';

/** What it means to be held by one of V8's root categories. */
interface RootKind {
  readonly name: RegExp;
  /** Cost of starting a path here, 1 to 60. */
  readonly penalty: number;
  /** What a reader is told. */
  readonly label: string;
}

const rootKinds: readonly RootKind[] = [
  { name: /^\(Global handles\)/, penalty: 4, label: 'native code (global handles)' },
  { name: /^\(Traced handles\)/, penalty: 4, label: 'native code (traced handles)' },
  { name: /^C\+\+/, penalty: 4, label: 'native code (C++ roots)' },
  // The queue is empty a moment later: what waits in it is there by chance.
  { name: /^\(Micro tasks\)/, penalty: 24, label: 'microtask queue' },
  { name: /^\(Stack roots\)/, penalty: 24, label: 'stack: a function that was running' },
  { name: /^\(Handle scope\)/, penalty: 24, label: 'stack of native code (handle scope)' },
  { name: /^\((?:Strong root list|Strong roots)\)/, penalty: 12, label: 'V8 (strong roots)' },
  { name: /^\((?:Eternal handles|Extensions)\)/, penalty: 12, label: 'native code (eternal handles)' },
  {
    name: /^\((?:Builtins|Compilation cache|Read-only roots|Startup object cache|Internalized strings|Debugger)\)/,
    penalty: 40,
    label: 'V8 itself',
  },
];

/** Cost of entering a synthetic node. */
export function rootPenalty(name: string): number {
  return rootKinds.find((kind) => kind.name.test(name))?.penalty ?? 1;
}

/** What a reader is told about a root category, e.g. "native code (global handles)". */
export function rootLabel(name: string): string {
  return rootKinds.find((kind) => kind.name.test(name))?.label ?? name.replaceAll(/[()]/g, '');
}

const strongRoots = /^\(Strong root/;

/**
 * Edges that hold nothing once the current job is over: targets of WeakRefs that were created or dereferenced in the job
 * that took the snapshot.
 */
export function passingEdges(graph: HeapGraph): ReadonlySet<number> {
  const blocked = new Set<number>();
  const visit = (node: number, depth: number): void => {
    const end = graph.lastEdge(node);
    for (let edge = graph.firstEdge(node); edge < end; edge++) {
      const to = graph.edgeTo(edge);
      if (graph.nodeType(to) === 'synthetic' && depth < 2) {
        // Only the strong roots have such edges. The names of thousands of others need not be read from the file.
        if (depth === 0 || strongRoots.test(graph.nodeName(to))) visit(to, depth + 1);
      } else if (depth > 0 && graph.edgeName(edge) === 'weak_refs_keep_during_job') blocked.add(edge);
    }
  };
  visit(graph.meta.rootNode, 0);
  return blocked;
}
