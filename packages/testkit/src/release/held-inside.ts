import type { TraceStep } from '@plimsoll/heap';
import { PlimsollWatched } from '@plimsoll/core/internal/scope/watch-list';
import { takeSnapshot } from '@plimsoll/leak/internal/proof/capture';
import { liveBytes } from '../engine/live-bytes.ts';
import { snapshotFolder } from '../report/snapshot-folder.ts';

/** Contents of the kept objects, by a snapshot. */
export interface HeldInside {
  /** Class of the objects. */
  readonly name: string;
  readonly objects: number;
  /** Mean bytes that each object alone keeps alive. */
  readonly bytesEach: number;
  /** Path from one of the objects to its heaviest part. */
  readonly trace: readonly TraceStep[];
  /** The reference to the heaviest part, e.g. `#bufferedChunks`. */
  readonly heaviest: string | undefined;
  readonly snapshot: string;
}

/** The objects are found in the snapshot by tokens that are attached to them. Undefined when there is no memory for a snapshot. */
export async function heldInside(objects: readonly unknown[], dir: string): Promise<HeldInside | undefined> {
  const tokens = new WeakMap<object, PlimsollWatched>();
  const path = `process/kept:${process.pid}`;
  for (const object of objects)
    if (typeof object === 'object' && object !== null)
      tokens.set(object, new PlimsollWatched('kept', path, undefined));
  const { capture } = takeSnapshot({
    dir: snapshotFolder(dir, 'release'),
    name: 'kept',
    maxStopMs: Number.POSITIVE_INFINITY,
    heapBytes: liveBytes().heap,
  });
  if (capture === null) return undefined;
  const [{ open }, { watchedTraces }, { descend }] = await Promise.all([
    import('@plimsoll/heap'),
    import('@plimsoll/leak/internal/proof/watched-trace'),
    import('@plimsoll/heap/internal/trace/descend'),
  ]);
  const snapshot = await open(capture.file);
  try {
    const [kept] = watchedTraces(snapshot, [path]);
    const id = kept?.trace.at(-1)?.id;
    if (kept === undefined || id === undefined) return undefined;
    const { graph } = snapshot;
    const node = nodeWithId(graph, id);
    const way = graph.paths([node]).get(node) ?? [];
    const trace = snapshot.traceOf([...way, ...descend(graph, node)]).steps;
    const at = trace.findIndex((step) => step.id === id);
    const inner = trace.slice(Math.max(0, at));
    return {
      name: kept.trace.at(-1)?.name ?? 'object',
      objects: objects.length,
      bytesEach: kept.retainedBytes,
      trace: inner,
      heaviest: inner[1]?.via,
      snapshot: capture.file,
    };
  } finally {
    snapshot.close();
  }
}

function nodeWithId(graph: { readonly nodeCount: number; nodeId(node: number): number }, id: number): number {
  for (let node = 0; node < graph.nodeCount; node++) if (graph.nodeId(node) === id) return node;
  return 0;
}
