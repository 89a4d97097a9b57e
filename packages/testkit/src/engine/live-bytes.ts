import v8 from 'node:v8';

/** Live bytes right after a collection, by kind of memory. */
export interface LiveBytes {
  /** Objects of the program on V8's heap, without compiled code. */
  readonly heap: number;
  /** Memory outside of the heap that objects hold: Buffers, ArrayBuffers and memory that native code registered. */
  readonly external: number;
  /** Resident memory of the process. It proves no leak. It only bounds the calls when native memory leaks. */
  readonly rss: number;
}

/** The spaces that count. Compiled code and bytecode are left out, because the JIT adds and every forced collection drops some. */
const dataSpaces = new Set(['new_space', 'old_space', 'large_object_space', 'new_large_object_space']);

/** Reads the live bytes; the caller has collected before. */
export function liveBytes(): LiveBytes {
  let heap = 0;
  for (const { space_name: name, space_used_size: used } of v8.getHeapSpaceStatistics())
    if (dataSpaces.has(name)) heap += used;
  const { external, rss } = process.memoryUsage();
  return { heap, external, rss };
}
