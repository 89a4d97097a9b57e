import { failure } from '../errors.ts';

/** Where the columns of a row stand, and what the numbers mean; read from the header by field name. */
export interface Layout {
  readonly nodeCount: number;
  readonly edgeCount: number;
  readonly nodeFields: number;
  readonly edgeFields: number;
  /** Position of each known field inside a node row; -1 when the snapshot has no such field. */
  readonly node: Readonly<Record<NodeField, number>>;
  readonly edge: Readonly<Record<EdgeField, number>>;
  readonly nodeTypes: readonly string[];
  readonly edgeTypes: readonly string[];
  /** Position of each location field, or null when the snapshot has no locations. */
  readonly location: Readonly<Record<LocationField, number>> | null;
  readonly locationFields: number;
  readonly rootNode: number;
  readonly extraNativeBytes: number;
  readonly traceFunctionCount: number;
}

type NodeField = 'type' | 'name' | 'id' | 'self_size' | 'edge_count' | 'detachedness';
type EdgeField = 'type' | 'name_or_index' | 'to_node';
export type LocationField = 'object_index' | 'script_id' | 'line' | 'column';

const nodeFields: readonly NodeField[] = ['type', 'name', 'id', 'self_size', 'edge_count', 'detachedness'];
const edgeFields: readonly EdgeField[] = ['type', 'name_or_index', 'to_node'];
const locationFields: readonly LocationField[] = ['object_index', 'script_id', 'line', 'column'];

const maxNodes = 0x7fff_ffff;
const maxEdges = 0xffff_fffe;
/** What a stream may announce, because nothing shows yet that it is true: a snapshot of about 10 GB. */
const maxStreamNodes = 1 << 27;
const maxStreamEdges = 1 << 29;
/** Node types share a byte with two bits of detachedness. */
const maxNodeTypes = 64;
const maxEdgeTypes = 16;
const maxFields = 32;

interface Place {
  readonly file: string;
  readonly offset: number;
}

/** Reads the "snapshot" object of the file. `textBytes` is the size of the whole text where known. */
export function parseHeader(json: string, place: Place, textBytes: number | null): Layout {
  let header: unknown;
  try {
    header = JSON.parse(json);
  } catch (error) {
    throw failure('PLM_HEAP_HEADER', { ...place, problem: 'it is not JSON' }, { cause: error });
  }
  const bad = (problem: string): never => {
    throw failure('PLM_HEAP_HEADER', { ...place, problem });
  };
  const snapshot = record(header) ?? bad('it is not an object');
  const meta = record(snapshot['meta']) ?? bad('it has no "meta" object');
  const nodes = words(meta['node_fields']) ?? bad('meta.node_fields is not a list of names');
  const edges = words(meta['edge_fields']) ?? bad('meta.edge_fields is not a list of names');
  if (nodes.length > maxFields || edges.length > maxFields) bad(`a row has more than ${maxFields} fields`);
  const node = positions(nodes, nodeFields, ['detachedness'], (name) =>
    bad(`meta.node_fields has no "${name}"`),
  );
  const edge = positions(edges, edgeFields, [], (name) => bad(`meta.edge_fields has no "${name}"`));
  const nodeTypes =
    words(list(meta['node_types'])?.[node.type]) ?? bad('meta.node_types has no list of types');
  const edgeTypes =
    words(list(meta['edge_types'])?.[edge.type]) ?? bad('meta.edge_types has no list of types');
  if (nodeTypes.length > maxNodeTypes) bad(`it has more than ${maxNodeTypes} node types`);
  if (edgeTypes.length > maxEdgeTypes) bad(`it has more than ${maxEdgeTypes} edge types`);
  const nodeCount = count(snapshot['node_count']) ?? bad('node_count is not a number of nodes');
  const edgeCount = count(snapshot['edge_count']) ?? bad('edge_count is not a number of edges');
  if (nodeCount === 0) bad('node_count is 0, but a heap has at least its root');
  checkSize(nodeCount, edgeCount, place, textBytes === null);
  if (textBytes !== null) {
    // Each number needs a digit and a separator; a count that cannot fit would only make us reserve memory.
    const needed = 2 * (nodeCount * nodes.length + edgeCount * edges.length);
    if (needed > textBytes) {
      bad(`${nodeCount} nodes and ${edgeCount} edges cannot fit into ${textBytes} bytes`);
    }
  }
  const root = count(snapshot['root_index'] ?? 0) ?? bad('root_index is not an index');
  if (root % nodes.length !== 0 || root / nodes.length >= nodeCount)
    bad('root_index is not the index of a node');
  const locations = words(meta['location_fields']);
  return {
    nodeCount,
    edgeCount,
    nodeFields: nodes.length,
    edgeFields: edges.length,
    node,
    edge,
    nodeTypes,
    edgeTypes,
    location: locations === undefined ? null : locationPositions(locations),
    locationFields: locations?.length ?? 0,
    rootNode: root / nodes.length,
    extraNativeBytes: count(snapshot['extra_native_bytes']) ?? 0,
    traceFunctionCount: count(snapshot['trace_function_count']) ?? 0,
  };
}

function checkSize(nodeCount: number, edgeCount: number, place: Place, isStream: boolean): void {
  const limits = [
    ['nodes', nodeCount, isStream ? maxStreamNodes : maxNodes],
    ['edges', edgeCount, isStream ? maxStreamEdges : maxEdges],
  ] as const;
  for (const [what, count, limit] of limits) {
    if (count > limit) throw failure('PLM_HEAP_TOO_LARGE', { ...place, what, count, limit });
  }
}

function positions<Name extends string>(
  found: readonly string[],
  wanted: readonly Name[],
  optional: readonly Name[],
  missing: (name: Name) => void,
): Record<Name, number> {
  const at = {} as Record<Name, number>;
  for (const name of wanted) {
    at[name] = found.indexOf(name);
    if (at[name] < 0 && !optional.includes(name)) missing(name);
  }
  return at;
}

function locationPositions(found: readonly string[]): Record<LocationField, number> | null {
  const at = positions(found, locationFields, locationFields, () => {});
  return found.length <= maxFields && locationFields.every((name) => at[name] >= 0) ? at : null;
}

function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function list(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function words(value: unknown): readonly string[] | undefined {
  const all = list(value);
  return all?.every((word) => typeof word === 'string') ? (all as readonly string[]) : undefined;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
