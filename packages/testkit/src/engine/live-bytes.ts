import v8 from 'node:v8';

/** Live bytes right after a collection, by where they are. */
export interface LiveBytes {
  /** Objects of the program on V8's heap, without compiled code. */
  readonly heap: number;
  /** Memory outside of the heap that objects hold: Buffers, ArrayBuffers and what native code registered. */
  readonly external: number;
  /** Resident memory of the process. It accuses nobody; it bounds how often native memory may be leaked. */
  readonly rss: number;
}

/** Compiled code and bytecode come and go with the pace of the JIT, and with every forced collection some of it is dropped. */
const dataSpaces = new Set(['new_space', 'old_space', 'large_object_space', 'new_large_object_space']);

/** Reads the live bytes; the caller has collected before. */
export function liveBytes(): LiveBytes {
  let heap = 0;
  for (const { space_name: name, space_used_size: used } of v8.getHeapSpaceStatistics())
    if (dataSpaces.has(name)) heap += used;
  const { external, rss } = process.memoryUsage();
  return { heap, external, rss };
}
