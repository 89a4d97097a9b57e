import { PlainArena } from './arena.ts';
import type { Kernel } from './kernel.ts';
import { nameClasses, shapes, totals, treeOrder } from './typescript/classes.ts';
import * as graph from './typescript/graph.ts';
import { cheapestPaths } from './typescript/paths.ts';
import { edges, nodes, quads } from './typescript/rows.ts';
import { strings } from './typescript/strings.ts';
import { countTexts, edgesInto, slicedTexts, surveyNodes, unpin, usedNames } from './typescript/survey.ts';

/** The kernel in plain TypeScript. */
export function typescriptKernel(): Kernel {
  return {
    name: 'typescript',
    arena: new PlainArena(),
    nodes,
    edges,
    quads,
    strings,
    ...graph,
    cheapestPaths,
    usedNames,
    surveyNodes,
    countTexts,
    slicedTexts,
    unpin,
    edgesInto,
    nameClasses,
    shapes,
    totals,
    treeOrder,
  };
}
