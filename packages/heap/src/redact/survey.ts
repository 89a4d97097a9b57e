import { codeOwners } from '../graph/survey.ts';
import { BadInput } from './bad-input.ts';
import { EdgeOwner } from './edge-owner.ts';
import { traitsOf } from './name-policy.ts';
import { redactedMark } from './placeholder.ts';
import { decodeString } from './raw-string.ts';
import type { SectionListener } from './section-scanner.ts';

/** Where the columns stand in this file's rows. */
export interface Layout {
  readonly nodeFields: readonly string[];
  readonly nodeTypes: readonly string[];
  readonly edgeFields: readonly string[];
  readonly edgeTypes: readonly string[];
  readonly traceInfoFields: readonly string[];
  readonly nodeCount: number;
}

/** What has to be known before the first byte of the redacted snapshot can be written. */
export interface Survey {
  readonly layout: Layout;
  readonly headerText: string;
  /** Per node. */
  readonly nodeType: Uint8Array;
  readonly nodeName: Uint32Array;
  readonly edgeCount: Uint32Array;
  /** Per string: its traits. */
  readonly traits: Uint16Array;
  /** The file was redacted before: what names it still has are structure. */
  readonly isRedacted: boolean;
  /** Indices of a few strings that the rules ask for by text. */
  readonly known: ReadonlyMap<string, number>;
}

const wanted = new Set(['Object', '', 'PlimsollScopeRoot', 'path', 'state', ...codeOwners]);

interface Header {
  meta: {
    node_fields: string[];
    node_types: [string[], ...unknown[]];
    edge_fields: string[];
    edge_types: [string[], ...unknown[]];
    trace_function_info_fields?: string[];
  };
  node_count: number;
}

/** The first pass over a snapshot: types and names of nodes, traits of strings. */
export class Surveyor implements SectionListener {
  readonly skips = new Set(['edges', 'trace_function_infos', 'samples', 'locations']);
  #layout: Layout | undefined;
  #headerText = '';
  #nodeType = new Uint8Array(0);
  #nodeName = new Uint32Array(0);
  #edgeCount = new Uint32Array(0);
  #row = 0;
  #column = 0;
  #strings = 0;
  #isRedacted = false;
  #traits = new Uint16Array(1 << 12);
  readonly #known = new Map<string, number>();
  readonly #keep: ReadonlySet<string>;

  constructor(keep: ReadonlySet<string>) {
    this.#keep = keep;
  }

  header(text: string): void {
    const layout = layoutOf(text);
    this.#headerText = text;
    this.#layout = layout;
    this.#nodeType = new Uint8Array(layout.nodeCount);
    this.#nodeName = new Uint32Array(layout.nodeCount);
    this.#edgeCount = new Uint32Array(layout.nodeCount);
  }

  numbers(section: string, values: Float64Array, count: number): void {
    if (section === 'nodes') this.#nodes(values, count);
  }

  #nodes(values: Float64Array, count: number): void {
    const { nodeFields } = this.#laidOut();
    const width = nodeFields.length;
    const type = nodeFields.indexOf('type');
    const name = nodeFields.indexOf('name');
    const edges = nodeFields.indexOf('edge_count');
    for (let i = 0; i < count; i++) {
      const value = values[i] as number;
      if (this.#column === type) this.#nodeType[this.#row] = value;
      else if (this.#column === name) this.#nodeName[this.#row] = value;
      else if (this.#column === edges) this.#edgeCount[this.#row] = value;
      if (++this.#column === width) {
        this.#column = 0;
        this.#row++;
      }
    }
  }

  string(raw: Buffer): void {
    const text = decodeString(raw);
    if (this.#strings === 0) this.#isRedacted = text === redactedMark;
    if (wanted.has(text)) this.#known.set(text, this.#strings);
    if (this.#strings === this.#traits.length) {
      const larger = new Uint16Array(this.#traits.length * 2);
      larger.set(this.#traits);
      this.#traits = larger;
    }
    this.#traits[this.#strings++] = traitsOf(text, this.#keep);
  }

  end(section: string): void {
    if (section === 'nodes') this.#column = 0;
  }

  /** The header comes first in every file that V8 writes. */
  #laidOut(): Layout {
    if (this.#layout === undefined) throw new BadInput({ kind: 'header', problem: 'it does not come first' });
    return this.#layout;
  }

  result(): Survey {
    return {
      layout: this.#laidOut(),
      headerText: this.#headerText,
      nodeType: this.#nodeType,
      nodeName: this.#nodeName,
      edgeCount: this.#edgeCount,
      traits: this.#traits.subarray(0, this.#strings),
      isRedacted: this.#isRedacted,
      known: this.#known,
    };
  }
}

const mostNodes = 2 ** 31;

function layoutOf(text: string): Layout {
  let header: Partial<Header>;
  try {
    header = JSON.parse(text) as Partial<Header>;
  } catch {
    throw new BadInput({ kind: 'header', problem: 'it is not JSON' });
  }
  const { meta, node_count: nodeCount } = header;
  const lists = [meta?.node_fields, meta?.node_types?.[0], meta?.edge_fields, meta?.edge_types?.[0]];
  if (!lists.every((list) => Array.isArray(list) && list.length > 0)) {
    throw new BadInput({ kind: 'header', problem: 'meta lacks fields or types' });
  }
  if (!Number.isSafeInteger(nodeCount) || (nodeCount as number) < 0 || (nodeCount as number) >= mostNodes) {
    throw new BadInput({ kind: 'header', problem: `node_count is ${nodeCount}` });
  }
  const { node_fields, node_types, edge_fields, edge_types, trace_function_info_fields } =
    meta as Header['meta'];
  return {
    nodeFields: node_fields,
    nodeTypes: node_types[0],
    edgeFields: edge_fields,
    edgeTypes: edge_types[0],
    traceInfoFields: trace_function_info_fields ?? [],
    nodeCount: nodeCount as number,
  };
}

/**
 * The second pass, over the edges: which strings name edges, which names a compiled function refers to, and which nodes carry
 * the path or state of a scope; those labels are the operator's own and stay.
 */
export class EdgeSurvey implements SectionListener {
  readonly skips = new Set(['nodes', 'trace_function_infos', 'samples', 'locations']);
  readonly scopeLabels = new Set<number>();
  /** Per string: 1 when some edge is named by it. */
  readonly namesEdge = new GrowingBytes();
  /** Per string: 1 when a programmer wrote it as a name. */
  readonly inCode = new GrowingBytes();
  readonly #survey: Survey;
  readonly #owner: EdgeOwner;
  readonly #codeOwners: ReadonlySet<number>;
  #column = 0;
  #type = 0;
  #name = 0;

  constructor(survey: Survey) {
    this.#survey = survey;
    this.#owner = new EdgeOwner(survey.edgeCount);
    this.#codeOwners = new Set(codeOwners.map((name) => survey.known.get(name) ?? -1));
  }

  header(): void {}

  numbers(section: string, values: Float64Array, count: number): void {
    if (section !== 'edges') return;
    const { edgeFields, edgeTypes, nodeFields } = this.#survey.layout;
    const element = edgeTypes.indexOf('element');
    const hidden = edgeTypes.indexOf('hidden');
    const width = edgeFields.length;
    const type = edgeFields.indexOf('type');
    const name = edgeFields.indexOf('name_or_index');
    const to = edgeFields.indexOf('to_node');
    for (let i = 0; i < count; i++) {
      const value = values[i] as number;
      if (this.#column === type) this.#type = value;
      else if (this.#column === name) {
        this.#name = value;
        if (this.#type !== element && this.#type !== hidden) this.namesEdge.set(value, 1);
      } else if (this.#column === to) this.#edge(this.#owner.current(), value / nodeFields.length);
      if (++this.#column === width) {
        this.#column = 0;
        this.#owner.advance();
      }
    }
  }

  #edge(from: number, to: number): void {
    const { layout, nodeName, nodeType, known } = this.#survey;
    const owner = nodeName[from] as number;
    if (this.#codeOwners.has(owner) && layout.nodeTypes[nodeType[to] as number] === 'string') {
      this.inCode.set(nodeName[to] as number, 1);
    } else if (owner === known.get('PlimsollScopeRoot') && layout.edgeTypes[this.#type] === 'property') {
      if (this.#name === known.get('path') || this.#name === known.get('state')) this.scopeLabels.add(to);
    }
  }
}

/** An array of bytes that grows to the largest index written; unwritten bytes are 0. */
export class GrowingBytes {
  #bytes = new Uint8Array(1 << 12);

  set(index: number, value: number): void {
    if (index >= this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#bytes.length * 2, index + 1));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[index] = value;
  }

  get(index: number): number {
    return this.#bytes[index] ?? 0;
  }
}
