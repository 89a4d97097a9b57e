import type { HeapGraph } from '../snapshot.ts';
import { targetNamed } from './node-kind.ts';
import type { ScriptFacts } from './script-facts.ts';

/** Knows what the files beside a script say about a place in it. */
export interface ScriptLookup {
  of(script: string, line: number, column: number): ScriptFacts;
}

/** Where the code of a function or class stands, e.g. `lib/harness.mjs:61`. */
export class ScriptPlaces {
  readonly #graph: HeapGraph;
  readonly #scripts = new Map<number, string>();
  readonly #lookup: ScriptLookup | undefined;
  #closures: ReadonlyMap<number, readonly number[]> | undefined;

  constructor(graph: HeapGraph, lookup?: ScriptLookup) {
    this.#graph = graph;
    this.#lookup = lookup;
  }

  /** The place of a closure or of the class of an object; undefined where the snapshot does not say. */
  of(node: number): string | undefined {
    const location = this.#graph.location(node);
    const script = this.#scriptAt(node);
    return location === undefined || script === undefined
      ? undefined
      : `${shortPath(script)}:${location.line + 1}`;
  }

  /** The place for a reader: in the source where a map leads there, with the version of its package. */
  shown(node: number): string | undefined {
    const location = this.#graph.location(node);
    const script = this.#scriptAt(node);
    if (location === undefined || script === undefined) return undefined;
    const facts = this.#lookup?.of(script, location.line, location.column) ?? {};
    return placeText(`${shortPath(script)}:${location.line + 1}`, facts);
  }

  /** True for an object whose class the program declares: Node's own classes stand in scripts called `node:…`. */
  isOfProgram(node: number): boolean {
    const script = this.#scriptAt(node);
    return script !== undefined && !script.startsWith('node:');
  }

  #scriptAt(node: number): string | undefined {
    const location = this.#graph.location(node);
    if (location === undefined) return undefined;
    return this.scriptOf(node) ?? this.#scriptNamed(location.scriptId);
  }

  /** The script that a closure was compiled from. */
  scriptOf(node: number): string | undefined {
    const graph = this.#graph;
    if (graph.nodeType(node) !== 'closure') return undefined;
    const shared = targetNamed(graph, node, 'shared');
    const script = shared < 0 ? -1 : targetNamed(graph, shared, 'script');
    const name = script < 0 || graph.nodeType(script) !== 'code' ? '' : graph.nodeName(script);
    return name === '' || name.startsWith('(') ? undefined : name;
  }

  /** Scripts carry no id in a snapshot; the functions compiled from them carry both. */
  #scriptNamed(scriptId: number): string | undefined {
    this.#closures ??= this.#graph.closuresByScript();
    let name = this.#scripts.get(scriptId);
    if (name === undefined) {
      for (const closure of this.#closures.get(scriptId) ?? []) name ??= this.scriptOf(closure);
      if (name !== undefined) this.#scripts.set(scriptId, name);
    }
    return name;
  }
}

/** A place as a reader wants it: the source instead of the bundle, the name that it has there, and the version of the package. */
export function placeText(place: string, { source, package: name }: ScriptFacts): string {
  const version = name === undefined ? '' : ` (${name})`;
  if (source === undefined) return place + version;
  const called = source.name === undefined ? '' : ` ${source.name}`;
  return `${shortPath(source.file)}:${source.line}${called}${version}`;
}

/** The part of a path that tells a package or a source file: from the last node_modules on, else the last three segments. */
export function shortPath(script: string): string {
  // The rest of such an address is the code itself, with whatever data was written into it.
  if (script.startsWith('data:')) return `${/^data:[\w./+-]*/.exec(script)?.[0] ?? 'data:'},…`;
  const path = script.replace(/^file:\/\//, '');
  const packaged = path.lastIndexOf('/node_modules/');
  if (packaged >= 0) return path.slice(packaged + '/node_modules/'.length);
  const parts = path.split('/');
  return parts.length > 4 ? parts.slice(-3).join('/') : path;
}
