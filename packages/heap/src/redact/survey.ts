import { EdgeOwner } from './edge-owner.ts';
import type { SectionListener } from './section-scanner.ts';
import { traitsOf } from './name-policy.ts';
import { decodeString } from './raw-string.ts';
import { GrowingBytes } from './growing-bytes.ts';

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
  /** Per string: its traits, and whether a compiled function refers to it. */
  readonly traits: Uint8Array;
  readonly inCode: GrowingBytes;
  /** Per string: whether some edge is named by it. */
  readonly namesEdge: GrowingBytes;
  /** Indices of a few strings that the rules ask for by text. */
  readonly known: ReadonlyMap<string, number>;
}

const wanted = new Set(['Object', '', 'PlimsollScopeRoot', 'path', 'state']);

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

/** The first pass over a snapshot: types and names of nodes, traits of strings, names that code refers to. */
export class Surveyor implements SectionListener {
  #layout: Layout | undefined;
  #headerText = '';
  #nodeType = new Uint8Array(0);
  #nodeName = new Uint32Array(0);
  #edgeCount = new Uint32Array(0);
  #row = 0;
  #column = 0;
  #owner = new EdgeOwner(this.#edgeCount);
  #strings = 0;
  readonly #traits = new GrowingBytes();
  readonly #inCode = new GrowingBytes();
  readonly #namesEdge = new GrowingBytes();
  #edgeIsNamed = false;
  readonly #known = new Map<string, number>();
  readonly #keep: ReadonlySet<string>;

  constructor(keep: ReadonlySet<string>) {
    this.#keep = keep;
  }

  header(text: string): void {
    const header = JSON.parse(text) as Header;
    this.#headerText = text;
    this.#layout = {
      nodeFields: header.meta.node_fields,
      nodeTypes: header.meta.node_types[0],
      edgeFields: header.meta.edge_fields,
      edgeTypes: header.meta.edge_types[0],
      traceInfoFields: header.meta.trace_function_info_fields ?? [],
      nodeCount: header.node_count,
    };
    this.#nodeType = new Uint8Array(header.node_count);
    this.#nodeName = new Uint32Array(header.node_count);
    this.#edgeCount = new Uint32Array(header.node_count);
  }

  numbers(section: string, values: Float64Array, count: number): void {
    if (section === 'nodes') this.#nodes(values, count);
    else if (section === 'edges') this.#edges(values, count);
  }

  #nodes(values: Float64Array, count: number): void {
    const { nodeFields } = this.#layout as Layout;
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

  /** Strings that edges are named by, and strings at the ends of edges out of compiled code: names that a programmer wrote. */
  #edges(values: Float64Array, count: number): void {
    const { edgeFields, edgeTypes, nodeFields, nodeTypes } = this.#layout as Layout;
    const type = edgeFields.indexOf('type');
    const name = edgeFields.indexOf('name_or_index');
    const element = edgeTypes.indexOf('element');
    const hidden = edgeTypes.indexOf('hidden');
    const to = edgeFields.indexOf('to_node');
    const code = nodeTypes.indexOf('code');
    const text = nodeTypes.indexOf('string');
    for (let i = 0; i < count; i++) {
      const value = values[i] as number;
      if (this.#column === type) this.#edgeIsNamed = value !== element && value !== hidden;
      else if (this.#column === name && this.#edgeIsNamed) this.#namesEdge.set(value, 1);
      else if (this.#column === to && this.#nodeType[this.#owner.current()] === code) {
        const node = value / nodeFields.length;
        if (this.#nodeType[node] === text) this.#inCode.set(this.#nodeName[node] as number, 1);
      }
      if (++this.#column === edgeFields.length) {
        this.#column = 0;
        this.#owner.advance();
      }
    }
  }

  string(raw: Buffer): void {
    const text = decodeString(raw);
    if (wanted.has(text)) this.#known.set(text, this.#strings);
    this.#traits.set(this.#strings++, traitsOf(text, this.#keep));
  }

  end(section: string): void {
    if (section !== 'nodes') return;
    this.#column = 0;
    this.#owner = new EdgeOwner(this.#edgeCount);
  }

  result(): Survey {
    return {
      layout: this.#layout as Layout,
      headerText: this.#headerText,
      nodeType: this.#nodeType,
      nodeName: this.#nodeName,
      edgeCount: this.#edgeCount,
      traits: this.#traits.bytes(this.#strings),
      inCode: this.#inCode,
      namesEdge: this.#namesEdge,
      known: this.#known,
    };
  }
}

/** Finds the nodes whose text is a scope's path or state; these labels are the operator's own and stay. */
export class ScopeLabels implements SectionListener {
  readonly nodes = new Set<number>();
  readonly #survey: Survey;
  readonly #owner: EdgeOwner;
  #column = 0;
  #type = 0;
  #name = 0;

  constructor(survey: Survey) {
    this.#survey = survey;
    this.#owner = new EdgeOwner(survey.edgeCount);
  }

  header(): void {}

  numbers(section: string, values: Float64Array, count: number): void {
    if (section !== 'edges') return;
    const { layout, nodeName, known } = this.#survey;
    const width = layout.edgeFields.length;
    const type = layout.edgeFields.indexOf('type');
    const name = layout.edgeFields.indexOf('name_or_index');
    const to = layout.edgeFields.indexOf('to_node');
    const property = layout.edgeTypes.indexOf('property');
    const marker = known.get('PlimsollScopeRoot');
    for (let i = 0; i < count; i++) {
      const value = values[i] as number;
      if (this.#column === type) this.#type = value;
      else if (this.#column === name) this.#name = value;
      else if (this.#column === to) {
        const label = this.#name === known.get('path') || this.#name === known.get('state');
        if (label && this.#type === property && nodeName[this.#owner.current()] === marker) {
          this.nodes.add(value / layout.nodeFields.length);
        }
      }
      if (++this.#column === width) {
        this.#column = 0;
        this.#owner.advance();
      }
    }
  }
}
