/** Builds the text of small snapshots by hand, in any layout that V8 has used and in some that it never did. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const nodeTypes = [
  'hidden',
  'array',
  'string',
  'object',
  'code',
  'closure',
  'regexp',
  'number',
  'native',
  'synthetic',
  'concatenated string',
  'sliced string',
  'symbol',
  'bigint',
  'object shape',
];
export const edgeTypes = ['context', 'element', 'property', 'internal', 'hidden', 'shortcut', 'weak'];

export interface BuiltNode {
  readonly type?: string;
  readonly name?: string;
  readonly id?: number;
  readonly size?: number;
  readonly detachedness?: number;
  readonly edges?: readonly BuiltEdge[];
}

export interface BuiltEdge {
  readonly type?: string;
  readonly name?: string | number;
  readonly to: number;
}

export interface BuildOptions {
  /** Node 18 to 22 write a seventh field and a line feed after each row. */
  readonly style?: 'node24' | 'node22' | 'pretty' | 'permuted';
  readonly locations?: readonly (readonly [node: number, script: number, line: number, column: number])[];
  readonly header?: Readonly<Record<string, unknown>>;
  /** Sections as JSON text, written before "locations". */
  readonly extraSections?: Readonly<Record<string, string>>;
  readonly rootIndex?: number;
}

/** The text of a snapshot with these nodes; node 0 is the root. */
export function buildSnapshot(nodes: readonly BuiltNode[], options: BuildOptions = {}): string {
  const style = options.style ?? 'node24';
  const strings = ['<dummy>'];
  const known = new Map<string, number>([['<dummy>', 0]]);
  const string = (text: string): number => {
    let index = known.get(text);
    if (index === undefined) {
      index = strings.length;
      known.set(text, index);
      strings.push(text);
    }
    return index;
  };
  const nodeFields = fieldsOf(style);
  const nodeRows = nodes.map((node, n) => {
    const row: Record<string, number> = {
      type: nodeTypes.indexOf(node.type ?? 'object'),
      name: string(node.name ?? `node ${n}`),
      id: node.id ?? 2 * n + 1,
      self_size: node.size ?? 16,
      edge_count: node.edges?.length ?? 0,
      trace_node_id: 0,
      detachedness: node.detachedness ?? 0,
    };
    return nodeFields.map((field) => row[field] as number);
  });
  const edgeFields =
    style === 'permuted' ? ['to_node', 'type', 'name_or_index'] : ['type', 'name_or_index', 'to_node'];
  const edgeRows = nodes.flatMap((node) =>
    (node.edges ?? []).map((edge) => {
      const row: Record<string, number> = {
        type: edgeTypes.indexOf(edge.type ?? 'property'),
        name_or_index: typeof edge.name === 'number' ? edge.name : string(edge.name ?? 'p'),
        to_node: edge.to * nodeFields.length,
      };
      return edgeFields.map((field) => row[field] as number);
    }),
  );
  const locations = (options.locations ?? []).map(([node, ...rest]) => [node * nodeFields.length, ...rest]);
  const snapshot = {
    meta: {
      node_fields: nodeFields,
      node_types: nodeFields.map((field) =>
        field === 'type' ? nodeTypes : field === 'name' ? 'string' : 'number',
      ),
      edge_fields: edgeFields,
      edge_types: edgeFields.map((field) => (field === 'type' ? edgeTypes : 'node')),
      location_fields: ['object_index', 'script_id', 'line', 'column'],
    },
    node_count: nodes.length,
    edge_count: edgeRows.length,
    trace_function_count: 0,
    extra_native_bytes: 0,
    ...(options.rootIndex === undefined ? {} : { root_index: options.rootIndex * nodeFields.length }),
    ...options.header,
  };
  const extra = Object.entries(options.extraSections ?? {}).map(([key, json]) => `"${key}":${json}`);
  return [
    `{"snapshot":${JSON.stringify(snapshot)}`,
    `"nodes":[${rowText(nodeRows, style)}]`,
    `"edges":[${rowText(edgeRows, style)}]`,
    '"trace_function_infos":[]',
    '"trace_tree":[]',
    '"samples":[]',
    ...extra,
    `"locations":[${rowText(locations, style)}]`,
    `"strings":[${strings.map((text) => JSON.stringify(text)).join(style === 'node24' ? ',\n' : ',')}]}`,
  ].join(',\n');
}

function fieldsOf(style: string): string[] {
  const six = ['type', 'name', 'id', 'self_size', 'edge_count', 'detachedness'];
  if (style === 'node22') return six.toSpliced(5, 0, 'trace_node_id');
  return style === 'permuted' ? ['id', 'detachedness', 'edge_count', 'name', 'type', 'self_size'] : six;
}

function rowText(rows: readonly (readonly number[])[], style: string): string {
  if (style === 'node22') return rows.map((row) => `${row.join(',')}\n`).join(',');
  if (style === 'pretty') return rows.map((row) => `\n    ${row.join(' , ')}`).join(' ,');
  return rows.map((row) => row.join(',')).join(',');
}

/** A directory for the files of one test, removed by `using`. */
export class ScratchFiles {
  readonly dir = mkdtempSync(join(tmpdir(), 'plimsoll-heap-'));
  #count = 0;

  write(content: string | Uint8Array, name = `${this.#count++}.heapsnapshot`): string {
    const path = join(this.dir, name);
    writeFileSync(path, content);
    return path;
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Text as a stream of chunks of this many bytes. */
export async function* chunksOf(text: string | Uint8Array, bytes = 1000): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text as string);
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
}
