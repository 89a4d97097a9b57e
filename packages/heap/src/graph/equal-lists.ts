import type { Kernel } from '../kernel/kernel.ts';
import { rehash, shapes as groupInPlain, type ShapeJob } from '../kernel/typescript/classes.ts';
import type { Workspace } from './workspace.ts';

/** Equal lists of a stream, numbered in order of first sight. The arrays belong to the workspace: copy what is kept. */
export interface Groups {
  readonly count: number;
  /** Where the first list of each group begins in the stream. */
  readonly firstAt: Uint32Array;
  /** Lists per group. */
  readonly counts: Uint32Array;
  /** Group of each list. */
  readonly groupOf: Uint32Array;
}

const firstSlots = 4096;

/** Groups the lists of a stream `[length, word...]*` with a hash table that grows as it fills. */
export function growGroups(kernel: Kernel, space: Workspace, stream: Uint32Array, words: number): Groups {
  const { vertex, dom, ends, triple } = space;
  const table = triple.subarray(0, firstSlots).fill(0);
  const job: ShapeJob = {
    stream,
    end: words,
    at: 0,
    lists: 0,
    groups: 0,
    table,
    firstAt: dom,
    counts: ends,
    groupOf: vertex,
  };
  let inArena = true;
  for (;;) {
    if (inArena) kernel.shapes(job);
    else groupInPlain(job);
    if (job.at >= words) return { count: job.groups, firstAt: dom, counts: ends, groupOf: vertex };
    const slots = job.table.length * 4;
    inArena = slots <= triple.length;
    job.table = inArena ? triple.subarray(0, slots) : new Uint32Array(slots);
    rehash(job);
  }
}
