import type { WasmMemory } from './web-assembly.ts';

/** Where columns live: plain typed arrays, or regions of a WebAssembly memory. */
export interface Arena {
  /** Makes room for this many bytes in one go; views handed out before must not be used after. */
  reserve(bytes: number): void;
  bytes(length: number): Uint8Array;
  words(length: number): Uint32Array;
  floats(length: number): Float64Array;
}

/** Regions begin on this boundary, so that vectors and cache lines are not split. */
export const regionAlign = 64;

/** Columns as separate arrays of the JavaScript heap; the operating system gives pages when they are touched. */
export class PlainArena implements Arena {
  reserve(): void {}

  bytes(length: number): Uint8Array {
    return new Uint8Array(length);
  }

  words(length: number): Uint32Array {
    return new Uint32Array(length);
  }

  floats(length: number): Float64Array {
    return new Float64Array(length);
  }
}

const pageBytes = 65_536;
/** Vectors may be loaded a little before and after a region. */
const guardBytes = 1024;

/** A WebAssembly memory for snapshots that are opened one after the other, each when the one before is closed. */
export interface SharedMemory {
  wasm?: WasmMemory;
  /** Size of the largest of their files, for which room is made at once; untouched pages cost nothing. */
  readonly largestBytes?: number;
}

/** Pages that a memory needs for one reservation of this many bytes. */
export function pagesFor(bytes: number): number {
  return Math.ceil((bytes + 2 * guardBytes) / pageBytes);
}

/** Columns as regions of one WebAssembly memory, given out in order and never taken back. */
export class WasmArena implements Arena {
  readonly memory: WasmMemory;
  #top = guardBytes;

  constructor(memory: WasmMemory) {
    this.memory = memory;
  }

  reserve(bytes: number): void {
    const needed = Math.ceil((this.#top + bytes + guardBytes) / pageBytes);
    const have = this.memory.buffer.byteLength / pageBytes;
    if (needed > have) this.memory.grow(needed - have);
  }

  bytes(length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, this.#take(length), length);
  }

  words(length: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, this.#take(length * 4), length);
  }

  floats(length: number): Float64Array {
    return new Float64Array(this.memory.buffer, this.#take(length * 8), length);
  }

  #take(bytes: number): number {
    const at = this.#top;
    this.#top += Math.ceil(bytes / regionAlign) * regionAlign;
    return at;
  }
}
