/** What runs in a browser: a snapshot from a stream, its questions and its treemap; nothing that needs files, processes or capture. */
export { HeapError, isHeapError } from './errors.ts';
export { open, type Snapshot, type SnapshotOptions } from './opened-snapshot.ts';
export { treemapTree, type TreemapNode } from './report/treemap-tree.ts';
export type { Suspect } from './suspects/suspects.ts';
export type { TraceStep } from './trace/leak-trace.ts';
