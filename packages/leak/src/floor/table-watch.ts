/**
 * Recognises one Map, Set or array that grows, from the large object space after each major GC.
 *
 * Such a container keeps its entries in one table. When it is full, V8 needs the next table in one piece while the old one is still there:
 * twice the size for a Map or Set, one and a half times for an array. A growing Map therefore aborts at 0.66 of old space, because its next
 * table does not fit, while other leaks reach 0.98. The live table is the gain of the large object space. From one major GC to the next it
 * is multiplied by exactly 2, 4, 8 (or powers of 1.5), while many large objects grow by any factor.
 */
export class TableWatch {
  #baseBytes: number | undefined;
  #tableBytes = 0;
  #growth = 0;

  /** Bytes that the growing table will allocate in one piece; 0 when none was recognised. */
  get nextBytes(): number {
    return Math.ceil(this.#growth * this.#tableBytes);
  }

  /** Takes the bytes of the large object space after a major GC. */
  take(largeBytes: number): void {
    // V8's own tables, which every process has from the start.
    this.#baseBytes ??= largeBytes < 2 * usualBaseBytes ? largeBytes : usualBaseBytes;
    const tableBytes = largeBytes - this.#baseBytes;
    const before = this.#tableBytes;
    if (Math.abs(tableBytes - before) <= tolerance * before) return;
    this.#growth =
      tableBytes < leastTableBytes || before < leastBeforeBytes ? 0 : growthOf(tableBytes / before);
    this.#tableBytes = tableBytes;
  }
}

/** 0.3 MiB on Node 22, 24 and 26. */
const usualBaseBytes = 0.3 * 1024 ** 2;
/** A smaller table does not matter, because its next one fits into any heap that runs Node. */
const leastTableBytes = 4 * 1024 ** 2;
const leastBeforeBytes = 1024 ** 2;
/** Measured factors are within 0.002 of the power. */
const tolerance = 0.01;
const mostSteps = 6;

/** The growth factor of a table that became `times` times larger; 0 when none fits. */
function growthOf(times: number): number {
  for (const growth of [2, 1.5]) {
    for (let steps = 1, power = growth; steps <= mostSteps; steps++, power *= growth)
      if (Math.abs(times - power) <= tolerance * power) return growth;
  }
  return 0;
}
