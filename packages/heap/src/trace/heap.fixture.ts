import { Readable } from 'node:stream';
import { edgeTypes, nodeTypes } from '../snapshot-builder.fixture.ts';

/** The parts of a hand-built heap; ids are handed out as odd numbers in order. */
export class HeapFixture {
  readonly #strings = ['<dummy>'];
  readonly #indices = new Map<string, number>();
  readonly #nodes: { type: number; name: number; size: number; edges: number[] }[] = [];
  readonly #locations: number[] = [];
  readonly root: number;
  /** The global object, reached by a shortcut as in V8. */
  readonly global: number;
  readonly gcRoots: number;

  constructor() {
    this.root = this.node('synthetic', '', 0);
    this.gcRoots = this.node('synthetic', '(GC roots)', 0);
    this.global = this.node('object', 'global', 32);
    this.edge(this.root, 'element', 1, this.gcRoots);
    this.edge(this.root, 'shortcut', '2', this.global);
  }

  node(type: string, name: string, size = 16): number {
    this.#nodes.push({ type: nodeTypes.indexOf(type), name: this.#string(name), size, edges: [] });
    return this.#nodes.length - 1;
  }

  edge(from: number, type: string, name: string | number, to: number): this {
    const index = typeof name === 'number' ? name : this.#string(name);
    this.#nodes[from]?.edges.push(edgeTypes.indexOf(type), index, to * 6);
    return this;
  }

  /** An object held as a property. */
  property(from: number, name: string, type: string, className: string, size = 16): number {
    const node = this.node(type, className, size);
    this.edge(from, 'property', name, node);
    return node;
  }

  /** An array with elements, both edges of V8: from the array and from its store. */
  array(from: number, name: string, items: readonly number[]): number {
    const list = this.property(from, name, 'object', 'Array', 32);
    const store = this.node('array', '(object elements)', 16 + items.length * 8);
    this.edge(list, 'internal', 'elements', store);
    items.forEach((item, i) => {
      this.edge(list, 'element', i, item);
      this.edge(store, 'internal', String(i), item);
    });
    return list;
  }

  /** A Map: keys and values in neighbouring slots of its table. */
  map(
    from: number,
    name: string,
    entries: readonly (readonly [number, number])[],
    className = 'Map',
  ): number {
    const map = this.property(from, name, 'object', className, 32);
    const table = this.node('array', '', 16 + entries.length * 24);
    this.edge(map, 'internal', 'table', table);
    entries.forEach(([key, value], i) => {
      this.edge(table, 'internal', String(5 + i * 3), key);
      if (value >= 0) this.edge(table, 'internal', String(6 + i * 3), value);
    });
    return map;
  }

  string(text: string, size = 32): number {
    return this.node('string', text, size);
  }

  /** A function with its scope's variables, its script and its place. */
  closure(
    name: string,
    variables: Readonly<Record<string, number>> = {},
    script?: string,
    line = 0,
    scriptId = 1,
  ): number {
    const closure = this.node('closure', name, 64);
    const context = this.node('object', 'system / Context', 32);
    this.edge(closure, 'internal', 'context', context);
    for (const [variable, value] of Object.entries(variables)) this.edge(context, 'context', variable, value);
    if (script !== undefined) {
      const shared = this.node('code', name, 56);
      const source = this.node('code', script, 24);
      this.edge(closure, 'internal', 'shared', shared).edge(shared, 'internal', 'script', source);
      this.#locations.push(closure * 6, scriptId, line, 0);
    }
    return closure;
  }

  /** Makes compiled code mention a name, so that it counts as structure. */
  mention(...names: string[]): this {
    const pool = this.node('code', '(constant pool)', 16 + names.length * 8);
    this.edge(this.global, 'internal', 'code', pool);
    names.forEach((name, i) => this.edge(pool, 'hidden', i, this.string(name)));
    return this;
  }

  locate(node: number, scriptId: number, line: number): this {
    this.#locations.push(node * 6, scriptId, line, 0);
    return this;
  }

  #string(text: string): number {
    let index = this.#indices.get(text);
    if (index === undefined) {
      index = this.#strings.length;
      this.#strings.push(text);
      this.#indices.set(text, index);
    }
    return index;
  }

  text(): string {
    const nodes = this.#nodes.flatMap((node, i) => [
      node.type,
      node.name,
      i * 2 + 1,
      node.size,
      node.edges.length / 3,
      0,
    ]);
    const edges = this.#nodes.flatMap((node) => node.edges);
    return JSON.stringify({
      snapshot: {
        meta: {
          node_fields: ['type', 'name', 'id', 'self_size', 'edge_count', 'detachedness'],
          node_types: [nodeTypes, 'string', 'number', 'number', 'number', 'number', 'number'],
          edge_fields: ['type', 'name_or_index', 'to_node'],
          edge_types: [edgeTypes, 'string_or_number', 'node'],
          trace_function_info_fields: ['function_id', 'name', 'script_name', 'script_id', 'line', 'column'],
          trace_node_fields: ['id', 'function_info_index', 'count', 'size', 'children'],
          sample_fields: ['timestamp_us', 'last_assigned_id'],
          location_fields: ['object_index', 'script_id', 'line', 'column'],
        },
        node_count: this.#nodes.length,
        edge_count: edges.length / 3,
        trace_function_count: 0,
        extra_native_bytes: 0,
      },
      nodes,
      edges,
      trace_function_infos: [],
      trace_tree: [],
      samples: [],
      locations: this.#locations,
      strings: this.#strings,
    });
  }

  stream(): Readable {
    return Readable.from([Buffer.from(this.text())]);
  }

  /** V8's id of a node. */
  id(node: number): number {
    return node * 2 + 1;
  }
}
