/**
 * The truth a census is held against: what each scope's roots retain together, by the dominators of a heap snapshot.
 *
 * Each scope gets a node of its own above its roots. Other references to a root are left out: by registering it the program says whose it
 * is, whatever index knows it too. What two roots of a scope share is thereby the scope's; what anything else reaches is not.
 */
import { readFileSync } from 'node:fs';

export interface ScopeTruth {
  readonly path: string;
  /** Retained bytes of the scope's roots together, buffers included. */
  readonly bytes: number;
  /** The part that lies on the V8 heap. */
  readonly heapBytes: number;
}

export interface Truth {
  readonly nodes: number;
  /** Self sizes of everything on the V8 heap. */
  readonly heapBytes: number;
  readonly scopes: readonly ScopeTruth[];
}

interface SnapshotFile {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[]];
      readonly edge_fields: readonly string[];
      readonly edge_types: readonly [readonly string[]];
    };
  };
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  readonly strings: readonly string[];
}

/** Reads a snapshot, computes dominators (Cooper, Harvey, Kennedy) and looks up the markers that scopes leave on the heap. */
export function readTruth(file: string): Truth {
  const graph = new Graph(JSON.parse(readFileSync(file, 'utf8')) as SnapshotFile);
  const markers = graph.markers();
  const { retained, retainedHeap } = graph.dominate(markers.map(({ roots }) => roots));
  const scopes = markers.map(({ path }, i) => ({
    path,
    bytes: retained[graph.count + 1 + i] as number,
    heapBytes: retainedHeap[graph.count + 1 + i] as number,
  }));
  return { nodes: graph.count, heapBytes: graph.heapBytes(), scopes };
}

class Graph {
  readonly count: number;
  private readonly file: SnapshotFile;
  private readonly width: number;
  private readonly edgeWidth: number;
  private readonly at: { type: number; name: number; size: number };
  private readonly edgeAt: { type: number; name: number };
  private readonly nodeTypes: readonly string[];
  private readonly edgeTypes: readonly string[];
  private first: Uint32Array;
  private to: Uint32Array;
  private total: number;
  private owned = new Uint8Array(0);
  /** V8's table of names. A snapshot lists its strings like those of a holder, but it holds them weakly. */
  private stringTable = -1;

  constructor(file: SnapshotFile) {
    this.file = file;
    const { meta } = file.snapshot;
    const field = (name: string): number => meta.node_fields.indexOf(name);
    this.width = meta.node_fields.length;
    this.edgeWidth = meta.edge_fields.length;
    this.at = { type: field('type'), name: field('name'), size: field('self_size') };
    this.edgeAt = {
      type: meta.edge_fields.indexOf('type'),
      name: meta.edge_fields.indexOf('name_or_index'),
    };
    this.nodeTypes = meta.node_types[0];
    this.edgeTypes = meta.edge_types[0];
    this.count = file.nodes.length / this.width;
    this.total = this.count;
    for (let node = 0; node < this.count && this.stringTable < 0; node++)
      if (this.name(node) === '(Internalized strings)') this.stringTable = node;
    this.first = new Uint32Array(this.count + 1);
    const edgeCount = field('edge_count');
    for (let node = 0; node < this.count; node++) {
      this.first[node + 1] =
        (this.first[node] as number) + (file.nodes[node * this.width + edgeCount] as number);
    }
    const toNode = meta.edge_fields.indexOf('to_node');
    this.to = new Uint32Array(this.first[this.count] as number);
    for (let edge = 0; edge < this.to.length; edge++) {
      this.to[edge] = (file.edges[edge * this.edgeWidth + toNode] as number) / this.width;
    }
  }

  name(node: number): string {
    return this.file.strings[this.file.nodes[node * this.width + this.at.name] as number] as string;
  }

  type(node: number): string {
    return this.nodeTypes[this.file.nodes[node * this.width + this.at.type] as number] as string;
  }

  /** The characters of a string node, joined when it is a rope or a slice. */
  text(node: number): string {
    if (this.type(node) !== 'concatenated string') return this.name(node);
    const first = this.property(node, 'first');
    const second = this.property(node, 'second');
    return (first === undefined ? '' : this.text(first)) + (second === undefined ? '' : this.text(second));
  }

  property(node: number, name: string): number | undefined {
    for (const edge of this.edges(node)) {
      const type = this.edgeType(edge);
      if (type === 'element' || type === 'hidden') continue;
      if (this.file.strings[this.edgeName(edge)] === name) return this.to[edge];
    }
    return undefined;
  }

  /** Element nodes of an array; V8 writes them on the array itself. */
  elements(array: number): number[] {
    return [...this.edges(array)]
      .filter((edge) => this.edgeType(edge) === 'element')
      .map((edge) => this.to[edge] as number);
  }

  heapBytes(): number {
    let bytes = 0;
    for (let node = 0; node < this.count; node++) {
      if (this.type(node) !== 'native') bytes += this.size(node);
    }
    return bytes;
  }

  /** Every open scope that left a marker with roots. */
  markers(): { path: string; roots: number[] }[] {
    const found: { path: string; roots: number[] }[] = [];
    for (let node = 0; node < this.count; node++) {
      if (this.type(node) !== 'object' || this.name(node) !== 'PlimsollScopeRoot') continue;
      const path = this.property(node, 'path');
      const roots = this.property(node, 'roots');
      if (path === undefined || roots === undefined) continue;
      const elements = this.elements(roots);
      if (elements.length > 0) found.push({ path: this.text(path), roots: elements });
    }
    return found;
  }

  /** Retained sizes by node; after the nodes of the heap come one above all and one for each group of roots. */
  dominate(groups: readonly (readonly number[])[]): { retained: Float64Array; retainedHeap: Float64Array } {
    const top = this.count;
    this.addAbove(groups);
    const { post, order } = this.postOrder();
    const { start, from } = this.retainers(post);
    const dominator = new Int32Array(this.total).fill(-1);
    dominator[top] = top;
    for (let changed = true; changed;) {
      changed = false;
      for (let k = order.length - 2; k >= 0; k--) {
        const node = order[k] as number;
        let best = -1;
        for (let j = start[node] as number; j < (start[node + 1] as number); j++) {
          const other = from[j] as number;
          if ((dominator[other] as number) < 0) continue;
          best = best < 0 ? other : meet(best, other, dominator, post);
        }
        if (dominator[node] !== best) {
          dominator[node] = best;
          changed = true;
        }
      }
    }
    const retained = new Float64Array(this.total);
    const retainedHeap = new Float64Array(this.total);
    for (let node = 0; node < this.count; node++) {
      retained[node] = this.size(node);
      retainedHeap[node] = this.type(node) === 'native' ? 0 : this.size(node);
    }
    for (const node of order.subarray(0, order.length - 1)) {
      const above = dominator[node] as number;
      retained[above] = (retained[above] as number) + (retained[node] as number);
      retainedHeap[above] = (retainedHeap[above] as number) + (retainedHeap[node] as number);
    }
    return { retained, retainedHeap };
  }

  private size(node: number): number {
    return this.file.nodes[node * this.width + this.at.size] as number;
  }

  private *edges(node: number): Iterable<number> {
    for (let edge = this.first[node] as number; edge < (this.first[node + 1] as number); edge++) yield edge;
  }

  private edgeType(edge: number): string {
    return this.edgeTypes[this.file.edges[edge * this.edgeWidth + this.edgeAt.type] as number] as string;
  }

  private edgeName(edge: number): number {
    return this.file.edges[edge * this.edgeWidth + this.edgeAt.name] as number;
  }

  /** Adds the node above all, which refers to the root of the heap and to one node per group, and those, which refer to their roots. */
  private addAbove(groups: readonly (readonly number[])[]): void {
    const edges = this.to.length;
    this.total = this.count + 1 + groups.length;
    const extra = [[0, ...groups.map((_, i) => this.count + 1 + i)], ...groups];
    const first = new Uint32Array(this.total + 1);
    first.set(this.first.subarray(0, this.count + 1));
    extra.forEach((targets, i) => {
      first[this.count + i + 1] = (first[this.count + i] as number) + targets.length;
    });
    const to = new Uint32Array(first[this.total] as number);
    to.set(this.to);
    to.set(extra.flat(), edges);
    this.first = first;
    this.to = to;
    this.owned = new Uint8Array(this.total);
    for (const root of groups.flat()) this.owned[root] = 1;
  }

  private retains(node: number, edge: number): boolean {
    if (node >= this.count) return true;
    if (this.owned[this.to[edge] as number] === 1 || node === this.stringTable) return false;
    const type = this.edgeType(edge);
    return type !== 'weak' && !(type === 'shortcut' && node !== 0);
  }

  private postOrder(): { post: Int32Array; order: Uint32Array } {
    const { total } = this;
    const post = new Int32Array(total).fill(-1);
    const order = new Uint32Array(total);
    const stack = new Uint32Array(total);
    const next = this.first.slice(0, total);
    const seen = new Uint8Array(total);
    let depth = 1;
    let done = 0;
    stack[0] = this.count;
    seen[this.count] = 1;
    while (depth > 0) {
      const node = stack[depth - 1] as number;
      const edge = next[node] as number;
      if (edge === this.first[node + 1]) {
        post[node] = done;
        order[done++] = node;
        depth--;
        continue;
      }
      next[node] = edge + 1;
      const target = this.to[edge] as number;
      if (seen[target] === 1 || !this.retains(node, edge)) continue;
      seen[target] = 1;
      stack[depth++] = target;
    }
    return { post, order: order.subarray(0, done) };
  }

  private retainers(post: Int32Array): { start: Uint32Array; from: Uint32Array } {
    const { total } = this;
    const start = new Uint32Array(total + 1);
    const each = (visit: (node: number, target: number) => void): void => {
      for (let node = 0; node < total; node++) {
        if ((post[node] as number) < 0) continue;
        for (let edge = this.first[node] as number; edge < (this.first[node + 1] as number); edge++) {
          if (this.retains(node, edge)) visit(node, this.to[edge] as number);
        }
      }
    };
    each((_, target) => (start[target + 1] = (start[target + 1] as number) + 1));
    for (let node = 0; node < total; node++) {
      start[node + 1] = (start[node + 1] as number) + (start[node] as number);
    }
    const from = new Uint32Array(start[total] as number);
    const fill = start.slice(0, total);
    each((node, target) => {
      const at = fill[target] as number;
      from[at] = node;
      fill[target] = at + 1;
    });
    return { start, from };
  }
}

function meet(a: number, b: number, dominator: Int32Array, post: Int32Array): number {
  while (a !== b) {
    while ((post[a] as number) < (post[b] as number)) a = dominator[a] as number;
    while ((post[b] as number) < (post[a] as number)) b = dominator[b] as number;
  }
  return a;
}
