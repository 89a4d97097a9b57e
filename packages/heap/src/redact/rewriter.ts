import { BadInput } from './bad-input.ts';
import type { ByteWriter } from './byte-writer.ts';
import { EdgeOwner } from './edge-owner.ts';
import {
  dictionaryEdges,
  ephemeronWithoutNames,
  isStructuralEdge,
  isStructuralNode,
  quotesNames,
} from './name-policy.ts';
import { placeholderOf, redactedMark, uniquePlaceholderOf } from './placeholder.ts';
import { decodeString } from './raw-string.ts';
import type { SectionListener } from './section-scanner.ts';
import type { EdgeSurvey, Survey } from './survey.ts';

const unused = 0;
const kept = 1;
const replaced = 2;
/** Held free for the name that edges carry; stays empty when no edge may show it. */
const reserved = 3;

/** The second pass: the same rows with every name either kept or turned into a placeholder. */
export class Rewriter implements SectionListener {
  readonly #survey: Survey;
  readonly #edgeSurvey: EdgeSurvey;
  readonly #out: ByteWriter;
  readonly #owner: EdgeOwner;
  /** What the string's own place in the table holds. A string that is needed both ways gets a second place at the end. */
  readonly #use: Uint8Array;
  readonly #second = new Map<number, number>();
  #values = 0;
  #row = 0;
  #column = 0;
  #edgeType = 0;
  #strings = 0;
  #seconds: string[] = [];
  keptStrings = 0;
  replacedStrings = 0;

  constructor(survey: Survey, edges: EdgeSurvey, out: ByteWriter) {
    this.#survey = survey;
    this.#edgeSurvey = edges;
    this.#out = out;
    this.#owner = new EdgeOwner(survey.edgeCount);
    this.#use = new Uint8Array(survey.traits.length);
  }

  header(text: string): void {
    const header = JSON.parse(text) as Record<string, unknown>;
    const numeric = Object.entries(header).filter(
      ([key, value]) => key === 'meta' || typeof value === 'number',
    );
    this.#out.text(`{"snapshot":${JSON.stringify(Object.fromEntries(numeric))}`);
  }

  numbers(section: string, values: Float64Array, count: number): void {
    if (this.#values === 0) this.#open(section, '[');
    switch (section) {
      case 'nodes':
        this.#nodes(values, count);
        break;
      case 'edges':
        this.#edges(values, count);
        break;
      case 'trace_function_infos':
        this.#traceInfos(values, count);
        break;
      default:
        for (let i = 0; i < count; i++) this.#put(values[i] as number);
    }
  }

  #open(section: string, bracket: string): void {
    this.#out.text(`,\n"${section}":${bracket}`);
  }

  #put(value: number): void {
    if (this.#values++ > 0) this.#out.byte(44);
    this.#out.number(value);
  }

  #nodes(values: Float64Array, count: number): void {
    const { layout, nodeType, traits } = this.#survey;
    const width = layout.nodeFields.length;
    const name = layout.nodeFields.indexOf('name');
    for (let i = 0; i < count; i++) {
      const value = values[i] as number;
      if (this.#column === name) {
        const type = layout.nodeTypes[nodeType[this.#row] as number] as string;
        const keep =
          this.#edgeSurvey.scopeLabels.has(this.#row) || isStructuralNode(type, traits[value] as number);
        this.#put(this.#place(value, keep));
      } else this.#put(value);
      if (++this.#column === width) {
        this.#column = 0;
        this.#row++;
      }
    }
  }

  #edges(values: Float64Array, count: number): void {
    const { edgeFields, edgeTypes } = this.#survey.layout;
    const width = edgeFields.length;
    const type = edgeFields.indexOf('type');
    const name = edgeFields.indexOf('name_or_index');
    for (let i = 0; i < count; i++) {
      const value = values[i] as number;
      if (this.#column === type) this.#edgeType = value;
      if (this.#column === name) this.#put(this.#edgeName(edgeTypes[this.#edgeType] as string, value));
      else this.#put(value);
      if (++this.#column === width) {
        this.#column = 0;
        this.#owner.advance();
      }
    }
  }

  #edgeName(type: string, name: number): number {
    if (type === 'element' || type === 'hidden') return name;
    const { traits, nodeName, edgeCount, known } = this.#survey;
    const owner = this.#owner.current();
    const ownerName = nodeName[owner];
    const plain =
      ownerName === known.get('Object') ||
      ownerName === known.get('') ||
      (edgeCount[owner] as number) > dictionaryEdges;
    const seen = traits[name] as number;
    return this.#place(
      name,
      quotesNames(seen) ||
        isStructuralEdge(
          type,
          seen,
          plain,
          this.#survey.isRedacted || this.#edgeSurvey.inCode.get(name) === 1,
        ),
    );
  }

  /** Functions that allocated: their names and scripts are structure. */
  #traceInfos(values: Float64Array, count: number): void {
    const fields = this.#survey.layout.traceInfoFields;
    const named = new Set([fields.indexOf('name'), fields.indexOf('script_name')]);
    for (let i = 0; i < count; i++) {
      const value = values[i] as number;
      this.#put(named.has(this.#column) ? this.#place(value, true) : value);
      if (++this.#column === fields.length) this.#column = 0;
    }
  }

  /** The index in the new table of the string, as it is or as its placeholder. */
  #place(index: number, keep: boolean): number {
    if (index >= this.#use.length) {
      throw new BadInput({ kind: 'index', what: 'a string index', value: index, limit: this.#use.length });
    }
    const want = keep ? kept : replaced;
    const use = this.#use[index] as number;
    if (use === want) return index;
    if (use === unused && !keep && this.#edgeSurvey.namesEdge.get(index) === 1) {
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
    else this.#out.text(',\n');
    const use = index === 0 ? unused : (this.#use[index] as number);
    const quoted = quotesNames(this.#survey.traits[index] as number);
    const text = use === kept && !quoted && !this.#second.has(index) ? undefined : decodeString(raw);
    if (index === 0) this.#out.text(JSON.stringify(redactedMark));
    else if (use === unused || use === reserved) this.#out.text('""');
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

  #placeholder(text: string, index: number): string {
    return this.#edgeSurvey.namesEdge.get(index) === 1
      ? uniquePlaceholderOf(text, index)
      : placeholderOf(text);
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
  }

  finish(): void {
    this.#out.text('}\n');
  }
}

function isFlat(section: string): boolean {
  return ['nodes', 'edges', 'trace_function_infos', 'samples', 'locations'].includes(section);
}
