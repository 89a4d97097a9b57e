import type { Arena } from '../kernel/arena.ts';
import type { StringRows } from '../kernel/jobs.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Input } from './input.ts';

/** Every how many strings an offset is kept; the ones between are found by walking. */
export const stringStride = 16;

/** What the reader of strings needs for a window of this many bytes: a string takes three bytes at least. */
export function stringBuffers(
  arena: Arena,
  windowBytes: number,
): { offsets: Uint32Array; notes: Uint32Array } {
  const most = Math.ceil(windowBytes / 3) + 16;
  return { offsets: arena.words(Math.ceil(most / stringStride) + 16), notes: arena.words(most) };
}

/** The reader of section "strings": finds where strings begin and decodes none. */
export class StringReader {
  readonly #kernel: Kernel;
  readonly #job: StringRows;
  /** Absolute offset of the opening quote of every 16th string. */
  readonly offsets: number[] = [];
  /** Strings worth a look: possible names of WeakMap pairs, and the few names that have a meaning. */
  readonly notes: number[] = [];

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
      noteCount: 0,
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
    for (let k = 0; k < job.offsetCount; k++) this.offsets.push(input.offset(job.offsets[k] as number));
    for (let k = 0; k < job.noteCount; k++) this.notes.push(job.notes[k] as number);
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
}

function isSpace(c: number): boolean {
  return c === 32 || c === 10 || c === 13 || c === 9;
}
