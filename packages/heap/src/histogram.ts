import type { Readable } from 'node:stream';
import { classifyByName } from './graph/classes.ts';
import { sizeOf } from './graph/columns.ts';
import { scan } from './read/scan.ts';
import { breathing, sourceOf, type OpenOptions } from './snapshot.ts';

/** Instances of one class. */
export interface HistogramRow {
  readonly name: string;
  readonly count: number;
  /** Own bytes; backing stores count for their own type here, because owners are known only from edges. */
  readonly shallowBytes: number;
}

/**
 * Counts instances and own bytes by class without looking at edges: the first answer about a large file, in a fraction
 * of the time. Largest first.
 */
export async function classHistogram(
  source: string | AsyncIterable<Uint8Array> | Readable,
  options: OpenOptions = {},
): Promise<readonly HistogramRow[]> {
  const bytes = await sourceOf(source, options);
  try {
    const breath = breathing(bytes, options);
    const found = await scan(bytes, { kernel: options.kernel ?? 'auto', breath, nodesOnly: true });
    const { columns, space } = found;
    const { of, names } = classifyByName(found, space.vertex.subarray(0, columns.nodeCount), space.sources);
    const counts = new Uint32Array(names.length);
    const sizes = new Float64Array(names.length);
    for (let n = 0; n < columns.nodeCount; n++) {
      const c = of[n] as number;
      counts[c] = (counts[c] as number) + 1;
      sizes[c] = (sizes[c] as number) + sizeOf(columns, n);
    }
    return names
      .map((name, c) => ({ name, count: counts[c] as number, shallowBytes: sizes[c] as number }))
      .filter((row) => row.count > 0)
      .sort((a, b) => b.shallowBytes - a.shallowBytes || (a.name < b.name ? -1 : 1));
  } finally {
    bytes.close();
  }
}
