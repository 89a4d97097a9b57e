import type { Layout } from '../read/header.ts';
import type { Locations } from '../read/locations.ts';
import type { StringTable } from '../read/string-table.ts';
import { typeMask, type Columns } from './columns.ts';
import type { EdgeNames } from './edge-names.ts';
import { shapeNames, shapesOf } from './shapes.ts';

/** The class of every node, as Chrome DevTools groups them. */
export interface Classes {
  /** Class number by node. */
  readonly of: Uint32Array;
  /** Name of each class; classes that are declared in different places may share one. */
  readonly names: readonly string[];
}

/** Finds the class of every node: by name, by type for V8's own, by shape for plain objects, by place for the user's. */
export function classify(
  columns: Columns,
  edgeNames: EdgeNames,
  layout: Layout,
  strings: StringTable,
  locations: Locations,
): Classes {
  const { kind, name, nodeCount } = columns;
  const types = layout.nodeTypes;
  const object = types.indexOf('object');
  const native = types.indexOf('native');
  const names: string[] = [];
  const byName = new Map<string, number>();
  const classNamed = (text: string): number => {
    let found = byName.get(text);
    if (found === undefined) {
      found = names.length;
      byName.set(text, found);
      names.push(text);
    }
    return found;
  };
  const ofType = types
    .map((type) => typeClass(type))
    .map((text) => (text === undefined ? -1 : classNamed(text)));
  const byIndex = new Map<number, number>();
  const of = new Uint32Array(nodeCount);
  const plain: number[] = [];
  for (let n = 0; n < nodeCount; n++) {
    const type = (kind[n] as number) & typeMask;
    if (type !== object && type !== native) {
      of[n] = ofType[type] as number;
      continue;
    }
    const index = name[n] as number;
    let found = byIndex.get(index);
    if (found === undefined) {
      found = classNamed(tagName(strings.get(index)));
      byIndex.set(index, found);
    }
    of[n] = found;
    if (type === object && names[found] === 'Object') plain.push(n);
  }
  const property = layout.edgeTypes.indexOf('property');
  const plainNodes = Uint32Array.from(plain);
  const { shapes, shapeOf } = shapesOf(columns, edgeNames, property, plainNodes);
  const named = shapeNames(shapes, (index) => strings.get(index)).map((text) => classNamed(text ?? 'Object'));
  plainNodes.forEach((n, k) => {
    of[n] = named[shapeOf[k] as number] as number;
  });
  splitByPlace(of, names, locations, (n) => ((kind[n] as number) & typeMask) === object);
  return { of, names };
}

/** Gives objects whose class is declared at a known place a class of their own per place. */
function splitByPlace(
  of: Uint32Array,
  names: string[],
  locations: Locations,
  isObject: (node: number) => boolean,
): void {
  const byPlace = new Map<string, number>();
  locations.forEach((n, scriptId, line, column) => {
    if (!isObject(n)) return;
    const key = `${of[n]},${scriptId},${line},${column}`;
    let found = byPlace.get(key);
    if (found === undefined) {
      found = names.length;
      names.push(names[of[n] as number] as string);
      byPlace.set(key, found);
    }
    of[n] = found;
  });
}

/** Class of the types that are not told apart by name; undefined for those that are. */
function typeClass(type: string): string | undefined {
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
