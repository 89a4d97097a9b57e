import v8 from 'node:v8';
import type { HeapUse } from './protocol/frame.ts';

/** This heap as V8 keeps it; microseconds, whatever its size. */
export function heapUse(): HeapUse {
  const { heap_size_limit: limitBytes, number_of_detached_contexts: detachedContexts } =
    v8.getHeapStatistics();
  const use = { physicalBytes: 0, usedBytes: 0, codeBytes: 0 };
  for (const space of v8.getHeapSpaceStatistics()) {
    use.physicalBytes += space.physical_space_size;
    use.usedBytes += space.space_used_size;
    if (space.space_name.startsWith('code')) use.codeBytes += space.space_used_size;
  }
  return { ...use, limitBytes, detachedContexts };
}
