import type { Suspect, TreemapNode } from '@plimsoll/heap/browser';

/** The request of the page to the worker. */
export interface WorkerQuestion {
  readonly file: File;
}

interface ClassRow {
  readonly name: string;
  readonly count: number;
  readonly shallowBytes: number;
  readonly retainedBytes: number;
}

/** The analysis of a snapshot, with names only and no text of the program's strings. */
export interface SnapshotStory {
  readonly name: string;
  readonly fileBytes: number;
  readonly nodes: number;
  readonly edges: number;
  readonly heapBytes: number;
  readonly ms: number;
  readonly map: TreemapNode;
  readonly suspects: readonly Suspect[];
  readonly classes: readonly ClassRow[];
  readonly scopes: readonly {
    readonly path: string;
    readonly state: string;
    readonly retainedBytes: number;
  }[];
}

/** Messages of the worker: progress and result. */
export type SnapshotWord =
  | { readonly kind: 'progress'; readonly phase: string; readonly ratio: number }
  | { readonly kind: 'done'; readonly story: SnapshotStory }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly fix: string };
