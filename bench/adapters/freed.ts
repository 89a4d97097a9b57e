/** What went from the heap between two snapshots of one process: V8 gives every object an id for life. */
import { readFileSync } from 'node:fs';

interface RawSnapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly (readonly string[])[];
    };
  };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

/** Bytes of each object of the program by its id. Compiled code and what belongs to V8 and Node.js itself are left out. */
function objectsIn(file: string): ReadonlyMap<number, number> {
  const { snapshot, nodes, strings } = JSON.parse(readFileSync(file, 'utf8')) as RawSnapshot;
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, name, id, size] = ['type', 'name', 'id', 'self_size'].map((field) =>
    fields.indexOf(field),
  ) as [number, number, number, number];
  const found = new Map<number, number>();
  for (let at = 0; at < nodes.length; at += fields.length) {
    const kind = types[0]?.[nodes[at + type] as number] as string;
    const isBuffer =
      kind === 'native' && strings[nodes[at + name] as number]?.includes('ArrayBufferData') === true;
    if (isBuffer || !['code', 'object shape', 'synthetic', 'native'].includes(kind))
      found.set(nodes[at + id] as number, nodes[at + size] as number);
  }
  return found;
}

/** Bytes that went between each snapshot and the next one. */
export function freedBetween(files: readonly string[]): readonly number[] {
  const freed: number[] = [];
  let before: ReadonlyMap<number, number> | undefined;
  for (const file of files) {
    const after = objectsIn(file);
    let bytes = 0;
    for (const [id, size] of before ?? []) if (!after.has(id)) bytes += size;
    if (before !== undefined) freed.push(bytes);
    before = after;
  }
  return freed;
}
