import { PlainArena, type SharedMemory } from './arena.ts';
import type { Kernel } from './kernel.ts';
import { nameClasses, shapes, totals, treeOrder } from './typescript/classes.ts';
import * as graph from './typescript/graph.ts';
import { classWords, groupedPaths } from './typescript/path-groups.ts';
import { cheapestPaths } from './typescript/paths.ts';
import { edges, nodes, quads } from './typescript/rows.ts';
import { strings } from './typescript/strings.ts';
import {
  countTexts,
  edgeNames,
  edgesInto,
  slicedTexts,
  surveyNodes,
  unpin,
  usedNames,
} from './typescript/survey.ts';
import { hasWasm, wasmKernel } from './wasm-kernel.ts';

/** A WebAssembly memory ends at 4 GiB; larger analyses run on plain arrays. */
const maxWasmBytes = 4 * 1024 ** 3 - (64 << 20);

/** The kernel for an analysis that needs this many bytes; `ahead` is how many times as much a later one may need. */
export function chooseKernel(
  wanted: 'auto' | 'wasm' | 'typescript',
  bytes: number,
  shared?: SharedMemory,
  ahead = 1,
): Kernel {
  if (wanted === 'typescript' || bytes > maxWasmBytes) return typescriptKernel();
  // A later one that is larger than any memory runs on plain arrays, too.
  const room = ahead * bytes > maxWasmBytes ? bytes : ahead * bytes;
  return wanted === 'wasm' || hasWasm() ? wasmKernel(room, shared) : typescriptKernel();
}

/** The kernel in plain TypeScript. */
function typescriptKernel(): Kernel {
  return {
    name: 'typescript',
    arena: new PlainArena(),
    nodes,
    edges,
    quads,
    strings,
    ...graph,
    cheapestPaths,
    classWords,
    groupedPaths,
    usedNames,
    surveyNodes,
    countTexts,
    slicedTexts,
    unpin,
    edgesInto,
    edgeNames,
    nameClasses,
    shapes,
    totals,
    treeOrder,
  };
}
