import v8 from 'node:v8';

/** Tries before the answer is "unknown": a collection between two readings makes the difference useless. */
const tries = 3;
/** More than this in one probe is somebody else's work: a collection, or the compiler. */
const mostBytes = 1 << 20;

// Called through a proxy it is never inlined: optimised code would leave out the object that it returns in some places and not in others,
// and every reading has to allocate as much as every other.
const statistics = new Proxy(v8.getHeapStatistics, {});

function used(): number {
  return statistics().used_heap_size;
}

/**
 * Bytes that `work` allocates on the heap; undefined when collections kept coming between.
 *
 * V8 allocates by moving a pointer and `used_heap_size` follows that pointer to the byte. The figure tells how V8 stores a value where no
 * public function does: reading an unboxed double makes a number object, listing the keys of a dictionary makes one list more.
 */
export function allocatedBy(work: () => void): number | undefined {
  for (let i = 0; i < tries; i++) {
    const bytes = allocatedOnce(work);
    if (bytes !== undefined) return bytes;
  }
  return undefined;
}

/** The same of work that allocates only the first time. */
export function allocatedOnce(work: () => void): number | undefined {
  // Reading the statistics allocates, too, more or less as V8 optimises the code around it: so nothing is measured the same way.
  const idle = growth(nothing);
  const bytes = growth(work) - idle;
  return idle >= 0 && bytes >= 0 && bytes < mostBytes ? bytes : undefined;
}

function growth(work: () => void): number {
  const before = used();
  work();
  return used() - before;
}

function nothing(): void {}
