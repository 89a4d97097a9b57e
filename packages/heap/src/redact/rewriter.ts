import type { ByteWriter } from './byte-writer.ts';
import { decodeString } from './decode-string.ts';
import { ephemeronWithoutNames, quotesNames } from './name-policy.ts';
import {
  numbered,
  placeholderFor,
  placeholderOf,
  redactedMark,
  textClasses,
  uniquePlaceholderOf,
} from './placeholder.ts';
import type { RowPatches } from './row-patches.ts';
import type { SectionListener } from './section-scanner.ts';
import { use } from './name-kinds.ts';
import type { RedactionSurvey } from './survey.ts';
import { plainClassOf } from './text-class.ts';

/** The changes of the sections whose rows are copied: those that were read as numbers before. */
type Changes = ReadonlyMap<string, Pick<RowPatches, 'next'>>;

const both = use.kept | use.replaced;

/** By class, what stands before and after the length in a placeholder, and between strings. */
const around = new Map(
  textClasses.map((kind) => {
    const [before = '', after = ''] = placeholderFor(kind, 0).split('0');
    return [kind, [`,\n"${before}`, `${after}"`] as const];
  }),
);

/** The second pass: the same rows, with every name either kept or turned into a placeholder. */
export class Rewriter implements SectionListener {
  readonly #survey: RedactionSurvey;
  readonly #out: ByteWriter;
  readonly #changes: Changes;
  readonly #copied = new Set<string>();
  #change: ReturnType<RowPatches['next']>;
  #infoFields: readonly string[] = [];
  #values = 0;
  #column = 0;
  #strings = 0;
  /** Strings after the last one of the file: placeholders of `second`, then texts that are kept late. */
  readonly #seconds: string[] = [];
  readonly #late = new Map<number, number>();
  keptStrings = 0;
  replacedStrings = 0;

  constructor(survey: RedactionSurvey, out: ByteWriter, changes: Changes) {
    this.#survey = survey;
    this.#out = out;
    this.#changes = changes;
  }

  header(text: string): void {
    const header = JSON.parse(text) as Record<string, unknown> & {
      meta: { readonly trace_function_info_fields?: readonly string[] };
    };
    this.#infoFields = header.meta.trace_function_info_fields ?? [];
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

  /** A section that appears twice was read once. */
  isCopied(section: string): boolean {
    const isFirst = !this.#copied.has(section);
    this.#copied.add(section);
    return isFirst && this.#changes.has(section);
  }

  /** Copies rows as they are, but for names that get another index. */
  rows(section: string, bytes: Buffer, offset: number): void {
    const changes = this.#changes.get(section) as Pick<RowPatches, 'next'>;
    if (this.#values === 0) {
      this.#open(section, '[');
      this.#change = changes.next();
    }
    this.#values = 1;
    const end = offset + bytes.length;
    let copied = offset;
    for (let change = this.#change; change !== undefined && change.start < end; change = this.#change) {
      if (change.start >= copied) {
        this.#out.bytes(bytes.subarray(copied - offset, change.start - offset));
        this.#out.number(change.value);
      }
      copied = Math.min(end, change.end);
      // Digits of the old index go on in the next chunk, which passes over them.
      if (change.end > end) break;
      this.#change = changes.next();
    }
    this.#out.bytes(bytes.subarray(copied - offset));
  }

  #open(section: string, bracket: string): void {
    this.#out.text(`,\n"${section}":${bracket}`);
  }

  #put(value: number): void {
    if (this.#values++ > 0) this.#out.byte(44);
    this.#out.number(value);
  }

  /** Functions that allocated: their names and scripts are structure. */
  #traceInfos(values: Float64Array, count: number): void {
    const fields = this.#infoFields;
    const named = new Set([fields.indexOf('name'), fields.indexOf('script_name')]);
    for (let i = 0; i < count; i++) {
      const value = values[i] as number;
      this.#put(named.has(this.#column) ? this.#keep(value) : value);
      if (++this.#column === fields.length) this.#column = 0;
    }
  }

  /** The index at which a string is kept. Rows were written before: where they show its placeholder, the text gets a second place. */
  #keep(index: number): number {
    const { uses, second } = this.#survey;
    if (((uses[index] as number) & use.replaced) === 0 || second.has(index)) {
      uses[index] = (uses[index] as number) | use.kept;
      return index;
    }
    let late = this.#late.get(index);
    if (late === undefined) this.#late.set(index, (late = uses.length + second.size + this.#late.size));
    return late;
  }

  nested(section: string, bytes: Uint8Array): void {
    if (this.#values === 0) this.#open(section, '');
    this.#values = 1;
    this.#out.bytes(bytes);
  }

  string(bytes: Buffer, start: number, end: number): void {
    const index = this.#strings++;
    const { uses, traits } = this.#survey;
    const used = uses[index] as number;
    if (index === 0) {
      this.#open('strings', '[\n');
      this.#out.text(JSON.stringify(redactedMark));
    } else if (used & use.kept) {
      this.keptStrings++;
      this.#writeKept(bytes, start, end, quotesNames(traits[index] as number));
    } else if (used & use.replaced) {
      this.replacedStrings++;
      this.#replace(bytes, start, end, index);
    } else this.#out.ascii(',\n""');
    if ((used & both) === both || this.#late.size > 0) this.#putAside(bytes, start, end, index);
  }

  /** Keeps a text or its placeholder for the end of the strings, when it has a place there. */
  #putAside(bytes: Buffer, start: number, end: number, index: number): void {
    const { uses, second } = this.#survey;
    const place = second.get(index);
    const late = this.#late.get(index);
    if (place === undefined && late === undefined) return;
    const text = decodeString(bytes, start, end);
    if (place !== undefined) this.#seconds[place - uses.length] = this.#placeholder(text, index);
    if (late !== undefined) this.#seconds[late - uses.length] = text;
  }

  #writeKept(bytes: Buffer, start: number, end: number, isQuoting: boolean): void {
    if (isQuoting) {
      this.#out.ascii(',\n');
      this.#out.text(JSON.stringify(ephemeronWithoutNames(decodeString(bytes, start, end))));
      return;
    }
    this.#out.ascii(',\n"');
    this.#out.range(bytes, start, end);
    this.#out.byte(34);
  }

  /** Writes the placeholder of a string. Most need not be decoded for it. */
  #replace(bytes: Buffer, start: number, end: number, index: number): void {
    const kind = plainClassOf(bytes, start, end);
    if (kind === undefined) {
      this.#out.ascii(',\n');
      this.#out.text(JSON.stringify(this.#placeholder(decodeString(bytes, start, end), index)));
      return;
    }
    if (this.#isEdgeName(index)) {
      this.#out.ascii(`,\n"${numbered(placeholderFor(kind, end - start), index, end - start)}"`);
      return;
    }
    const [before, after] = around.get(kind) as readonly [string, string];
    this.#out.ascii(before);
    this.#out.number(end - start);
    this.#out.ascii(after);
  }

  #placeholder(text: string, index: number): string {
    return this.#isEdgeName(index) ? uniquePlaceholderOf(text, index) : placeholderOf(text);
  }

  #isEdgeName(index: number): boolean {
    return ((this.#survey.uses[index] as number) & use.namesEdge) !== 0;
  }

  end(section: string): void {
    if (section === 'snapshot') return;
    if (section === 'strings') {
      this.#out.text(`${this.#seconds.map((text) => `,\n${JSON.stringify(text)}`).join('')}]`);
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
