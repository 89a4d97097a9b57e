import { weakBit } from '../columns.ts';
import { blockRows, type EdgeRows, type NodeRows, type QuadRows } from '../jobs.ts';

/** The longest row that a fast path takes: 7 numbers of 16 digits with their separators. */
const margin = 160;

/** Where the number that was read last ended: just after its separator. */
let after = 0;

/** Reads digits up to a comma; -1 when anything else stands there or the number has more than 16 digits. */
function number(bytes: Uint8Array, from: number): number {
  let p = from;
  let digit = (bytes[p++] as number) - 48;
  if (digit < 0 || digit > 9) return -1;
  let value = digit;
  for (;;) {
    digit = (bytes[p++] as number) - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  after = p;
  return digit === -4 && p - from <= 17 ? value : -1;
}

/** As `number`, for the last field of a row, where older V8 writes a line feed before the comma. */
function lastNumber(bytes: Uint8Array, from: number, newline: boolean): number {
  if (!newline) return number(bytes, from);
  let p = from;
  let value = 0;
  for (;;) {
    const digit = (bytes[p++] as number) - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  after = p + 1;
  return p - from > 1 && p - from <= 17 && bytes[p - 1] === 10 && bytes[p] === 44 ? value : -1;
}

/** Takes whole rows of section "nodes" in the usual field order; stops at the first row that needs the slow reader. */
export function nodes(job: NodeRows): void {
  const { bytes, end, fields, kind, name, id, size, firstEdge, blocks, watched, watchList } = job;
  let n = job.taken;
  let sum = job.edgeSum;
  let row = job.start;
  job.watchWords = 0;
  while (n < job.max && row + margin <= end) {
    const type = number(bytes, row);
    if (type < 0 || type >= job.types) break;
    const nameIndex = number(bytes, after);
    if (nameIndex < 0 || nameIndex >= job.names) break;
    const nodeId = number(bytes, after);
    if (nodeId < 0 || nodeId > 0xffff_ffff) break;
    const selfSize = number(bytes, after);
    if (selfSize < 0 || selfSize > 0xffff_fffe) break;
    let edgeCount = 0;
    let detached = 0;
    let value = 0;
    for (let k = 4; k < fields && value >= 0; k++) {
      value = k + 1 === fields ? lastNumber(bytes, after, job.newline) : number(bytes, after);
      if (value > 0xffff_ffff) value = -1;
      if (k === 4) edgeCount = value;
      else if (k === job.detachedAt) detached = value;
    }
    if (value < 0 || detached > 3 || sum + edgeCount > job.maxEdges) break;
    kind[n] = type | (detached << 6);
    name[n] = nameIndex;
    if (id !== null) id[n] = nodeId;
    size[n] = selfSize;
    firstEdge[n] = sum;
    sum += edgeCount;
    job.byteSum += selfSize;
    job.detachedBits |= detached;
    if (nameIndex === job.plainName && type === job.plainType) setBit(job.plain, n);
    if (hasBit(watched, nodeId & 0xffff)) {
      watchList[job.watchWords++] = n;
      watchList[job.watchWords++] = nodeId;
    }
    if (blocks !== null && n % blockRows === 0) blocks[n / blockRows] = job.base + row;
    row = after;
    n++;
  }
  job.start = row;
  job.taken = n;
  job.edgeSum = sum;
}

/** Takes whole rows of section "edges"; stops at the first row that needs the slow reader. */
export function edges(job: EdgeRows): void {
  const { bytes, end, fields, to, names, blocks, notes } = job;
  let e = job.taken;
  let row = job.start;
  job.noteWords = 0;
  while (e < job.max && row + margin <= end && job.noteWords < notes.length - 3) {
    const type = number(bytes, row);
    if (type < 0 || type > 9 || type >= job.types) break;
    const text = number(bytes, after);
    if (text < 0 || text > 0xffff_ffff) break;
    const index = lastNumber(bytes, after, job.newline);
    const target = Math.floor(index / fields);
    if (index < 0 || target >= job.nodeCount || target * fields !== index) break;
    if (text >= job.stringCount && ((job.numbered >>> type) & 1) === 0) break;
    if (names !== null) {
      if (text >= 0x0fff_ffff) break;
      names[e] = (type << 28) | text;
    }
    look(job, e, type, text);
    to[e] = type === job.weak ? (target | weakBit) >>> 0 : target;
    if (blocks !== null && e % blockRows === 0) blocks[e / blockRows] = job.base + row;
    row = after;
    e++;
  }
  job.start = row;
  job.taken = e;
}

/** Notes an edge that only the caller can judge, and keeps its name when it is a property of a plain object. */
export function look(job: EdgeRows, e: number, type: number, text: number): void {
  const { properties, notes } = job;
  if (properties !== null) {
    if (job.plainNode < job.nodeCount && e === job.firstEdge[job.plainNode + 1]) openList(job, e);
    if (
      type === job.property &&
      job.plainNode < job.nodeCount &&
      e >= (job.firstEdge[job.plainNode] as number)
    ) {
      properties[job.propertyWords++] = text;
    }
  }
  if (type === job.shortcut || (type === job.internal && hasBit(job.pairs, text))) {
    notes[job.noteWords++] = e;
    notes[job.noteWords++] = type;
    notes[job.noteWords++] = text;
  }
}

/** Closes lists of plain objects until one is open that reaches beyond edge `e`, or none is left. */
export function openList(job: EdgeRows, e: number): void {
  const { properties, firstEdge, nodeCount, plain } = job;
  if (properties === null) return;
  while (job.plainNode < nodeCount && e === firstEdge[job.plainNode + 1]) {
    properties[job.countAt] = job.propertyWords - job.countAt - 1;
    job.plainNode = nextPlain(plain, job.plainNode + 1, nodeCount);
    if (job.plainNode < nodeCount) job.countAt = job.propertyWords++;
  }
}

/** The next plain object from `node` on, or `count`. */
export function nextPlain(plain: Uint8Array, node: number, count: number): number {
  let n = node;
  while (n < count && !hasBit(plain, n)) n++;
  return n;
}

/** Takes whole rows of four numbers below 2^31. */
export function quads(job: QuadRows): void {
  const { bytes, end, out } = job;
  let n = job.taken;
  let row = job.start;
  while (n < job.max && row + margin <= end) {
    let value = 0;
    after = row;
    for (let k = 0; k < 4 && value >= 0; k++) {
      value = k === 3 ? lastNumber(bytes, after, job.newline) : number(bytes, after);
      if (value > 0x7fff_ffff) value = -1;
      out[n * 4 + k] = value;
    }
    if (value < 0) break;
    row = after;
    n++;
  }
  job.start = row;
  job.taken = n;
}

export function hasBit(bits: Uint8Array, i: number): boolean {
  return (((bits[i >>> 3] as number) >>> (i & 7)) & 1) === 1;
}

export function setBit(bits: Uint8Array, i: number): void {
  bits[i >>> 3] = (bits[i >>> 3] as number) | (1 << (i & 7));
}

export function clearBit(bits: Uint8Array, i: number): void {
  bits[i >>> 3] = (bits[i >>> 3] as number) & ~(1 << (i & 7));
}

/** The numbers whose bit is set, ascending. */
export function setBits(bits: Uint8Array): Uint32Array {
  const found: number[] = [];
  for (let byte = 0; byte < bits.length; byte++) {
    if (bits[byte] === 0) continue;
    for (let i = byte * 8; i < byte * 8 + 8; i++) if (hasBit(bits, i)) found.push(i);
  }
  return Uint32Array.from(found);
}
