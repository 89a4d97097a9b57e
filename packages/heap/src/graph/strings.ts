import type { Arena } from '../kernel/arena.ts';
import type { StringRows } from '../kernel/jobs.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Input } from './input.ts';
import { NameFinder, type KnownNames } from './known-names.ts';
import { stringStride, StringTable, type StringBytes } from './string-table.ts';

/** What the reader of strings needs for a window of this many bytes: a string takes three bytes at least. */
export function stringBuffers(
  arena: Arena,
  windowBytes: number,
): { offsets: Uint32Array; notes: Uint32Array } {
  const most = Math.ceil(windowBytes / 3) + 16;
  return { offsets: arena.words(Math.ceil(most / stringStride) + 16), notes: arena.words(2 * most) };
}

/** The reader of section "strings": finds where strings begin and decodes none. */
export class StringReader {
  readonly #kernel: Kernel;
  readonly #job: StringRows;
  readonly #names = new NameFinder();
  #offsets = new Float64Array(1024);
  #offsetCount = 0;

  constructor(kernel: Kernel, buffers: { offsets: Uint32Array; notes: Uint32Array }) {
    this.#kernel = kernel;
    this.#job = {
      bytes: new Uint8Array(),
      start: 0,
      end: 0,
      base: 0,
      last: false,
      state: 0,
      count: 0,
      ...buffers,
      offsetCount: 0,
      noteWords: 0,
    };
  }

  get count(): number {
    return this.#job.count;
  }

  /** Takes the window; true when the section is finished. */
  take(input: Input): boolean {
    const job = this.#job;
    job.bytes = input.bytes;
    job.start = input.start;
    job.end = input.end;
    job.last = input.exhausted;
    this.#kernel.strings(job);
    input.start = job.start;
    this.#keepOffsets(input);
    for (let k = 0; k < job.noteWords; k += 2) {
      this.#names.look(job.notes[k] as number, input.bytes, (job.notes[k + 1] as number) + 1, input.end);
    }
    if (job.state === 5) {
      const inside =
        (input.bytes[input.start] as number) < 32 && !isSpace(input.bytes[input.start] as number);
      throw input.unexpected(
        input.start,
        inside ? 'a character of a string' : 'a string or the end of section "strings"',
      );
    }
    return job.state === 4;
  }

  /** The strings, to be read from where they were found. */
  table(bytes: StringBytes): StringTable {
    return new StringTable(bytes, this.#offsets.slice(0, this.#offsetCount), this.count);
  }

  /** The strings that have a meaning. */
  names(table: StringTable): KnownNames {
    return this.#names.finish(table);
  }

  #keepOffsets(input: Input): void {
    const { offsets, offsetCount } = this.#job;
    if (this.#offsetCount + offsetCount > this.#offsets.length) {
      const grown = new Float64Array((this.#offsetCount + offsetCount) * 2);
      grown.set(this.#offsets);
      this.#offsets = grown;
    }
    const base = input.offset(0);
    for (let k = 0; k < offsetCount; k++) this.#offsets[this.#offsetCount++] = base + (offsets[k] as number);
  }
}

function isSpace(c: number): boolean {
  return c === 32 || c === 10 || c === 13 || c === 9;
}
