import { typeMask, detachedShift } from '../kernel/columns.ts';
import { hasBit, setBit } from '../kernel/typescript/rows.ts';
import type { Scan } from './scan.ts';
import { shapeNames } from './shapes.ts';

/** The class of every node, as Chrome DevTools groups them. */
export interface Classes {
  /** Class number by node. */
  readonly of: Uint32Array;
  /** Name of each class; classes that are declared in different places may share one. */
  readonly names: readonly string[];
}

const byItsName = 0xffff_ffff;

/** Names of classes, numbered in order of first mention. */
class ClassNames {
  readonly list: string[] = [];
  readonly #known = new Map<string, number>();

  number(name: string): number {
    let found = this.#known.get(name);
    if (found === undefined) {
      found = this.list.length;
      this.#known.set(name, found);
      this.list.push(name);
    }
    return found;
  }
}

/**
 * Finds the class of every node: by name, by type for V8's own, by shape for plain objects, by place of declaration for
 * the user's. `of` is where the answer goes; `room` is scratch of the same arena.
 */
export function classify(scan: Scan, of: Uint32Array, room: Uint32Array): Classes {
  const { strings, shapes } = scan;
  const names = new ClassNames();
  const typeClass = classesOfTypes(scan, names);
  strings.warm(shapes.lists.flatMap((list) => [...list]));
  const shapeClass = shapeNames(shapes, (index) => strings.get(index)).map((text) =>
    names.number(text ?? 'Object'),
  );
  mergeTags(scan, of, names, nameNodes(scan, of, room, typeClass, shapeClass, names.list.length));
  for (const n of detachedNodes(scan)) {
    of[n] = names.number(tagName(`Detached ${strings.get(scan.columns.name[n] as number)}`));
  }
  splitByPlace(scan, of, names.list);
  return { of, names: names.list };
}

function classesOfTypes(scan: Scan, names: ClassNames): readonly number[] {
  return scan.layout.nodeTypes.map((type) => {
    const text = typeName(type);
    return text === undefined ? byItsName : names.number(text);
  });
}

/** Gives every node a class; those beyond `first` stand for the string indices returned. */
function nameNodes(
  scan: Scan,
  of: Uint32Array,
  room: Uint32Array,
  types: readonly number[],
  shapes: readonly number[],
  first: number,
): Uint32Array {
  const { kernel, columns, strings } = scan;
  const { kind, name, plain, nodeCount: count } = columns;
  const words = 64 + shapes.length + 2 * strings.count;
  const scratch = room.length < words ? new Uint32Array(words) : room.subarray(0, words);
  const typeClass = scratch.subarray(0, 64).fill(byItsName);
  const shapeClass = scratch.subarray(64, 64 + shapes.length);
  const byName = scratch.subarray(64 + shapes.length, words - strings.count).fill(0);
  const names = scratch.subarray(words - strings.count);
  typeClass.set(types);
  shapeClass.set(shapes);
  const job = { count, kind, name, plain, typeClass, first, byName, names, shapeClass, classOf: of };
  return names.slice(0, kernel.nameClasses(job) - first);
}

/** Gives the classes their names; names that become one class, such as those of elements with attributes, are merged. */
function mergeTags(scan: Scan, of: Uint32Array, names: ClassNames, indices: Uint32Array): void {
  const first = names.list.length;
  scan.strings.warm(indices);
  const merged = Uint32Array.from(indices, (index) => names.number(tagName(scan.strings.get(index))));
  if (merged.every((found, k) => found === first + k)) return;
  for (let n = 0; n < scan.columns.nodeCount; n++) {
    const c = of[n] as number;
    if (c >= first) of[n] = merged[c - first] as number;
  }
}

/** Gives objects whose class is declared at a known place a class of their own per place. */
function splitByPlace(scan: Scan, of: Uint32Array, names: string[]): void {
  const { locations, columns, layout, space } = scan;
  const { nodes, placeOf, placeCount } = locations;
  const object = layout.nodeTypes.indexOf('object');
  const known = new Map<number, number>();
  // A place usually declares one class, so the last answer is right nearly always.
  const lastClass = new Uint32Array(placeCount).fill(byItsName);
  const lastFound = new Uint32Array(placeCount);
  const done = space.marked.fill(0);
  // Backwards, because the last location of a node counts.
  for (let k = nodes.length - 1; k >= 0; k--) {
    const n = nodes[k] as number;
    if (((columns.kind[n] as number) & typeMask) !== object || hasBit(done, n)) continue;
    setBit(done, n);
    const place = placeOf[k] as number;
    const c = of[n] as number;
    if (lastClass[place] !== c) {
      const key = c * placeCount + place;
      let found = known.get(key);
      if (found === undefined) {
        found = names.length;
        names.push(names[c] as string);
        known.set(key, found);
      }
      lastClass[place] = c;
      lastFound[place] = found;
    }
    of[n] = lastFound[place] as number;
  }
}

/** Class of the types that are not told apart by name; undefined for those that are. */
function typeName(type: string): string | undefined {
  switch (type) {
    case 'object':
    case 'native':
      return undefined;
    case 'hidden':
      return '(system)';
    case 'code':
      return '(compiled code)';
    case 'closure':
      return 'Function';
    case 'regexp':
      return 'RegExp';
    default:
      return `(${type})`;
  }
}

/** `<div id="a">` is a `<div>`; other names stay. */
function tagName(name: string): string {
  const from = name.startsWith('<') ? 0 : name.startsWith('Detached <') ? 10 : -1;
  const space = from < 0 ? -1 : name.indexOf(' ', from);
  return space < 0 ? name : `${name.slice(0, space)}>`;
}

const attached = 1;
const detached = 2;

/**
 * Native nodes that no document holds any more. The embedder marks the roots of trees as attached or detached; what an
 * attached node reaches is attached, and what only detached nodes reach is detached (as in Chrome DevTools). Updates
 * the marks of the nodes on the way.
 */
function detachedNodes(scan: Scan): readonly number[] {
  if (!scan.knowsDetached) return [];
  const { columns, layout } = scan;
  const { kind, nodeCount } = columns;
  const native = layout.nodeTypes.indexOf('native');
  const queues: readonly [number[], number[]] = [[], []];
  const visited = new Set<number>();
  const found: number[] = [];
  const process = (n: number, state: number): void => {
    if (visited.has(n) || ((kind[n] as number) & typeMask) !== native) return;
    visited.add(n);
    kind[n] = native | (state << detachedShift);
    if (state === attached) queues[0].push(n);
    else if (state === detached) {
      found.push(n);
      queues[1].push(n);
    }
  };
  for (let n = 0; n < nodeCount; n++) {
    const state = (kind[n] as number) >>> detachedShift;
    if (state !== 0) process(n, state);
  }
  spread(queues[0], attached);
  spread(queues[1], detached);
  return found;

  function spread(queue: number[], state: number): void {
    for (let n = queue.pop(); n !== undefined; n = queue.pop()) {
      for (let e = columns.firstEdge[n] as number, end = columns.firstEdge[n + 1] as number; e < end; e++) {
        const type = layout.edgeTypes[scan.edgeNames.type(e)];
        if (type !== 'hidden' && type !== 'weak') process(edgeTarget(scan, e), state);
      }
    }
  }
}

const targetMask = 0x7fff_ffff;

/** The node an edge leads to, once dominators are known: targets are preorder numbers then. */
export function edgeTarget(scan: Scan, edge: number): number {
  return scan.space.vertex[(scan.columns.to[edge] as number) & targetMask] as number;
}
