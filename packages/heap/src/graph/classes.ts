import { nameClasses } from '../kernel/typescript/classes.ts';
import { hasBit } from '../kernel/typescript/rows.ts';
import type { Scan } from '../read/scan.ts';
import { typeMask } from './columns.ts';
import { detachedNodes } from './detached.ts';
import { shapeNames, shapesFromNames } from './shapes.ts';

/** The class of every node, as Chrome DevTools groups them. */
export interface Classes {
  /** Class number by node. */
  readonly of: Uint32Array;
  /** Name of each class; classes that are declared in different places may share one. */
  readonly names: readonly string[];
}

const byItsName = 0xffff_ffff;

/**
 * Finds the class of every node: by name, by type for V8's own, by shape for plain objects, by place of declaration for
 * the user's. `of` is where the answer goes; `scratch` is room for two words per string.
 */
export function classify(scan: Scan, of: Uint32Array, scratch: Uint32Array): Classes {
  const { columns, layout, strings } = scan;
  const names: string[] = [];
  const byText = new Map<string, number>();
  const classNamed = (text: string): number => {
    let found = byText.get(text);
    if (found === undefined) {
      found = names.length;
      byText.set(text, found);
      names.push(text);
    }
    return found;
  };
  const typeClass = layout.nodeTypes.map((type) => {
    const text = typeName(type);
    return text === undefined ? byItsName : classNamed(text);
  });
  const first = names.length;
  const indices = namesInUse(scan, typeClass, first, of, scratch);
  // Names that become one class, such as those of elements with different attributes, are merged.
  const merged = Uint32Array.from(indices, (index) => classNamed(tagName(strings.get(index))));
  if (merged.some((found, k) => found !== first + k)) {
    for (let n = 0; n < columns.nodeCount; n++) {
      const c = of[n] as number;
      if (c >= first) of[n] = merged[c - first] as number;
    }
  }
  nameDetached(scan, of, classNamed);
  nameShapes(scan, of, classNamed);
  splitByPlace(scan, of, names);
  return { of, names };
}

/** Gives every node the class of its type or of its name; returns the string index of each class by name. */
function namesInUse(
  scan: Scan,
  typeClass: readonly number[],
  first: number,
  of: Uint32Array,
  scratch: Uint32Array,
): Uint32Array {
  const { kernel, columns, strings, space } = scan;
  const { kind, name, nodeCount: count } = columns;
  const fits = scratch.length >= 2 * strings.count;
  const byName = fits ? scratch.subarray(0, strings.count).fill(0) : new Uint32Array(strings.count);
  const names = fits ? scratch.subarray(strings.count) : new Uint32Array(strings.count);
  const types = space.path.length >= 64 ? space.path.subarray(0, 64) : new Uint32Array(64);
  types.fill(byItsName);
  types.set(typeClass);
  const job = { count, kind, name, typeClass: types, first, byName, names, classOf: of };
  const classCount = fits && types.buffer === of.buffer ? kernel.nameClasses(job) : nameClasses(job);
  return names.slice(0, classCount - first);
}

/** Native nodes that are detached from the document are a class apart. */
function nameDetached(scan: Scan, of: Uint32Array, classNamed: (text: string) => number): void {
  for (const n of detachedNodes(scan)) {
    const text = `Detached ${scan.strings.get(scan.columns.name[n] as number)}`;
    of[n] = classNamed(tagName(text));
  }
}

/** Plain objects get the name of their shape. */
function nameShapes(scan: Scan, of: Uint32Array, classNamed: (text: string) => number): void {
  const { columns, strings, layout, edgeNames, names } = scan;
  const plain: number[] = [];
  const object = layout.nodeTypes.indexOf('object');
  if (scan.shapes === null) {
    for (let n = 0; n < columns.nodeCount; n++) {
      const isObject = ((columns.kind[n] as number) & typeMask) === object;
      if (isObject && columns.name[n] === names.object) plain.push(n);
    }
  }
  const property = layout.edgeTypes.indexOf('property');
  const shapes = scan.shapes ?? shapesFromNames(columns, edgeNames, property, plain);
  const named = shapeNames(shapes, (index) => strings.get(index)).map((text) => classNamed(text ?? 'Object'));
  const { shapeOf } = shapes;
  if (scan.shapes === null) {
    plain.forEach((n, k) => (of[n] = named[shapeOf[k] as number] as number));
    return;
  }
  for (let n = 0, k = 0; k < shapeOf.length; n++) {
    if (hasBit(columns.plain, n)) of[n] = named[shapeOf[k++] as number] as number;
  }
}

/** Gives objects whose class is declared at a known place a class of their own per place. */
function splitByPlace(scan: Scan, of: Uint32Array, names: string[]): void {
  const { locations, columns, layout } = scan;
  const object = layout.nodeTypes.indexOf('object');
  const known = new Map<number, number>();
  // A place usually declares one class, so the last answer is right nearly always.
  const lastClass = new Uint32Array(locations.placeCount).fill(byItsName);
  const lastFound = new Uint32Array(locations.placeCount);
  locations.forEach((n, place) => {
    if (((columns.kind[n] as number) & typeMask) !== object) return;
    const c = of[n] as number;
    if (lastClass[place] !== c) {
      const key = c * locations.placeCount + place;
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
  });
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
