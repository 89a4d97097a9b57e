import type { ByteWriter } from './byte-writer.ts';
import {
  dictionaryEdges,
  ephemeronWithoutNames,
  isStructuralEdge,
  isStructuralNode,
  quotesNames,
} from './name-policy.ts';
import { numbered, placeholderFor, placeholderOf, redactedMark, uniquePlaceholderOf } from './placeholder.ts';
import type { SectionListener } from './section-scanner.ts';
import type { RedactionSurvey } from './survey.ts';
import { plainClassOf } from './text-class.ts';

const comma = 44;
const digitZero = 48;
const unused = 0;
const kept = 1;
const replaced = 2;
/** Held free for the name that edges carry; stays empty when no edge may show it. */
const reserved = 3;

/** The names of the columns, from the header. */
interface Fields {
  readonly node_fields: readonly string[];
  readonly edge_fields: readonly string[];
  readonly trace_function_info_fields?: readonly string[];
}

/** The second pass: the same rows with every name either kept or turned into a placeholder. */
export class Rewriter implements SectionListener {
  readonly #survey: RedactionSurvey;
  readonly #out: ByteWriter;
  readonly #owner: EdgeOwner;
  /** What the string's own place in the table holds. A string that is needed both ways gets a second place at the end. */
  readonly #use: Uint8Array;
  readonly #second = new Map<number, number>();
  #fields: Fields = { node_fields: [], edge_fields: [] };
  #values = 0;
  #row = 0;
  #column = 0;
  #edgeType = 0;
  /** Digits of a type or a name that were read so far, and whether those of a name wait for the next chunk. */
  #value = 0;
  #isHeld = false;
  readonly #objectName: number | undefined;
  readonly #emptyName: number | undefined;
  #strings = 0;
  #seconds: string[] = [];
  keptStrings = 0;
  replacedStrings = 0;

  constructor(survey: RedactionSurvey, out: ByteWriter) {
    this.#survey = survey;
    this.#out = out;
    this.#owner = new EdgeOwner(survey.edgeCount);
    this.#use = new Uint8Array(survey.traits.length);
    this.#objectName = survey.known.get('Object');
    this.#emptyName = survey.known.get('');
  }

  header(text: string): void {
    const header = JSON.parse(text) as Record<string, unknown> & { meta: Fields };
    this.#fields = header.meta;
    const numeric = Object.entries(header).filter(
      ([key, value]) => key === 'meta' || typeof value === 'number',
    );
    this.#out.text(`{"snapshot":${JSON.stringify(Object.fromEntries(numeric))}`);
  }

  numbers(section: string, values: Float64Array, count: number): void {
    if (this.#values === 0) this.#open(section, '[');
    if (section === 'trace_function_infos') this.#traceInfos(values, count);
    else for (let i = 0; i < count; i++) this.#put(values[i] as number);
  }

  /** Copies rows as they are, but for names that get another index. */
  rows(section: string, bytes: Buffer, isLast: boolean): void {
    if (this.#values === 0) this.#open(section, '[');
    this.#values = 1;
    const isEdges = section === 'edges';
    const fields = isEdges ? this.#fields.edge_fields : this.#fields.node_fields;
    const width = fields.length;
    const nameAt = fields.indexOf(isEdges ? 'name_or_index' : 'name');
    const typeAt = isEdges ? fields.indexOf('type') : -1;
    let column = this.#column;
    let value = this.#value;
    /** Where the digits of a name begin in this chunk. */
    let start = -1;
    /** What has been written of this chunk. */
    let copied = 0;
    const length = bytes.length;
    let isRead = column === nameAt || column === typeAt;
    for (let at = 0; ; at++) {
      // Columns that are only copied are passed over to their comma.
      if (!isRead) while (at < length && bytes[at] !== comma) at++;
      if (at >= length) {
        if (at > length || !isLast || column === 0) break;
      } else {
        const byte = bytes[at] as number;
        if (byte >= digitZero) {
          if (start < 0 && column === nameAt) start = at;
          value = value * 10 + byte - digitZero;
        }
        if (byte !== comma) continue;
      }
      if (column === nameAt) {
        const index = isEdges ? this.#edgeName(value) : this.#nodeName(value);
        if (this.#isHeld || index !== value) {
          if (!this.#isHeld) this.#out.bytes(bytes.subarray(copied, start));
          this.#out.number(index);
          copied = at;
          this.#isHeld = false;
        }
        value = 0;
        start = -1;
      } else if (column === typeAt) {
        this.#edgeType = value;
        value = 0;
      }
      if (++column === width) {
        column = 0;
        if (isEdges) this.#owner.advance();
        else this.#row++;
      }
      isRead = column === nameAt || column === typeAt;
    }
    this.#column = column;
    this.#value = value;
    if (this.#isHeld) return;
    // A name whose digits go on in the next chunk is written when it is whole.
    this.#isHeld = !isLast && column === nameAt && start >= 0;
    this.#out.bytes(bytes.subarray(copied, this.#isHeld ? start : bytes.length));
  }

  #open(section: string, bracket: string): void {
    this.#out.text(`,\n"${section}":${bracket}`);
  }

  #put(value: number): void {
    if (this.#values++ > 0) this.#out.byte(44);
    this.#out.number(value);
  }

  #nodeName(name: number): number {
    const { nodeTypes, nodeType, traits, scopeLabels } = this.#survey;
    const type = nodeTypes[nodeType[this.#row] as number] as string;
    return this.#place(name, scopeLabels.has(this.#row) || isStructuralNode(type, traits[name] as number));
  }

  #edgeName(name: number): number {
    const type = this.#survey.edgeTypes[this.#edgeType] as string;
    if (type === 'element' || type === 'hidden') return name;
    const { traits, nodeName, edgeCount } = this.#survey;
    const owner = this.#owner.current();
    const ownerName = nodeName[owner];
    const plain =
      ownerName === this.#objectName ||
      ownerName === this.#emptyName ||
      (edgeCount[owner] as number) > dictionaryEdges;
    const seen = traits[name] as number;
    return this.#place(
      name,
      quotesNames(seen) ||
        isStructuralEdge(type, seen, plain, this.#survey.isRedacted || this.#survey.inCode[name] === 1),
    );
  }

  /** Functions that allocated: their names and scripts are structure. */
  #traceInfos(values: Float64Array, count: number): void {
    const fields = this.#fields.trace_function_info_fields ?? [];
    const named = new Set([fields.indexOf('name'), fields.indexOf('script_name')]);
    for (let i = 0; i < count; i++) {
      const value = values[i] as number;
      this.#put(named.has(this.#column) ? this.#place(value, true) : value);
      if (++this.#column === fields.length) this.#column = 0;
    }
  }

  /** The index in the new table of the string, as it is or as its placeholder. */
  #place(index: number, keep: boolean): number {
    const want = keep ? kept : replaced;
    const use = this.#use[index] as number;
    if (use === want) return index;
    if (use === unused && !keep && this.#survey.namesEdge[index] === 1) {
      // A name that edges carry is written far more often than a value: the short, original index waits for it.
      this.#use[index] = reserved;
    } else if (use === unused || (use === reserved && keep)) {
      this.#use[index] = want;
      return index;
    }
    let second = this.#second.get(index);
    if (second === undefined) {
      second = this.#use.length + this.#second.size;
      this.#second.set(index, second);
    }
    return second;
  }

  nested(section: string, bytes: Uint8Array): void {
    if (this.#values === 0) this.#open(section, '');
    this.#values = 1;
    this.#out.bytes(bytes);
  }

  string(raw: Buffer): void {
    const index = this.#strings++;
    if (index === 0) this.#open('strings', '[\n');
    else this.#out.ascii(',\n');
    const use = index === 0 ? unused : (this.#use[index] as number);
    if (use === replaced && this.#replacePlain(raw, index)) return;
    const quoted = quotesNames(this.#survey.traits[index] as number);
    const text = use === kept && !quoted && !this.#second.has(index) ? undefined : decodeString(raw);
    if (index === 0) this.#out.text(JSON.stringify(redactedMark));
    else if (use === unused || use === reserved) this.#out.ascii('""');
    else if (use === replaced) this.#out.text(JSON.stringify(this.#placeholder(text as string, index)));
    else if (quoted) this.#out.text(JSON.stringify(ephemeronWithoutNames(text as string)));
    else {
      this.#out.byte(34);
      this.#out.bytes(raw);
      this.#out.byte(34);
    }
    if (use === kept) this.keptStrings++;
    else if (use === replaced) this.replacedStrings++;
    const second = this.#second.get(index);
    if (second !== undefined) {
      this.#seconds[second - this.#use.length] =
        use === replaced ? (text as string) : this.#placeholder(text as string, index);
    }
  }

  /** Writes the placeholder of a string that need not be decoded for it; false when it has to be. */
  #replacePlain(raw: Buffer, index: number): boolean {
    if (this.#second.has(index)) return false;
    const kind = plainClassOf(raw);
    if (kind === undefined) return false;
    const placeholder = placeholderFor(kind, raw.length);
    const isName = this.#survey.namesEdge[index] === 1;
    this.#out.byte(34);
    this.#out.ascii(isName ? numbered(placeholder, index, raw.length) : placeholder);
    this.#out.byte(34);
    this.replacedStrings++;
    return true;
  }

  #placeholder(text: string, index: number): string {
    return this.#survey.namesEdge[index] === 1 ? uniquePlaceholderOf(text, index) : placeholderOf(text);
  }

  end(section: string): void {
    if (section === 'snapshot') return;
    if (section === 'strings') {
      for (const text of this.#seconds) this.#out.text(`,\n${JSON.stringify(text)}`);
      this.#out.text(']');
    } else if (section !== 'trace_tree' && isFlat(section)) {
      if (this.#values === 0) this.#open(section, '[');
      this.#out.text(']');
    }
    this.#values = 0;
    this.#column = 0;
    this.#value = 0;
  }

  finish(): void {
    this.#out.text('}\n');
  }
}

function isFlat(section: string): boolean {
  return ['nodes', 'edges', 'trace_function_infos', 'samples', 'locations'].includes(section);
}

/** A cursor over the edges of a file that knows which node the current edge leaves from. */
class EdgeOwner {
  readonly #edgeCount: Uint32Array;
  #node = 0;
  #seen = 0;

  constructor(edgeCount: Uint32Array) {
    this.#edgeCount = edgeCount;
  }

  /** The node that the edge at the cursor leaves from. */
  current(): number {
    while (this.#node < this.#edgeCount.length && this.#seen >= (this.#edgeCount[this.#node] as number)) {
      this.#seen -= this.#edgeCount[this.#node] as number;
      this.#node++;
    }
    return this.#node;
  }

  advance(): void {
    this.#seen++;
  }
}

/** The text of a JSON string given the bytes between its quotes; bytes that are no JSON stand for themselves. */
export function decodeString(raw: Buffer): string {
  const text = raw.toString('utf8');
  if (raw.indexOf(92) === -1) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
