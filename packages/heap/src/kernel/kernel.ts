import type { Arena } from './arena.ts';
import type { EdgeRows, NodeRows, QuadRows, StringRows } from './jobs.ts';
import type * as classes from './typescript/classes.ts';
import type * as graph from './typescript/graph.ts';
import type * as groups from './typescript/path-groups.ts';
import type * as paths from './typescript/paths.ts';
import type * as survey from './typescript/survey.ts';

/**
 * The hot loops. There are two: plain TypeScript, which is the reference and runs everywhere, and WebAssembly, which
 * has to give the same bits. Arrays handed to a method have to come from `arena`, except those of the sums by class.
 */
export interface Kernel {
  readonly name: 'typescript' | 'wasm';
  readonly arena: Arena;
  nodes(job: NodeRows): void;
  edges(job: EdgeRows): void;
  quads(job: QuadRows): void;
  strings(job: StringRows): void;
  readonly ownedBits: typeof graph.ownedBits;
  readonly owners: typeof graph.owners;
  readonly moveSizes: typeof graph.moveSizes;
  readonly visit: typeof graph.visit;
  readonly renumber: typeof graph.renumber;
  readonly positions: typeof graph.positions;
  readonly reverse: typeof graph.reverse;
  readonly link: typeof graph.link;
  readonly semidominators: typeof graph.semidominators;
  readonly nearest: typeof graph.nearest;
  readonly invert: typeof graph.invert;
  readonly ownSizes: typeof graph.ownSizes;
  readonly sumUp: typeof graph.sumUp;
  readonly retainerLists: typeof graph.retainerLists;
  readonly cheapestPaths: typeof paths.cheapestPaths;
  readonly classWords: typeof groups.classWords;
  readonly groupedPaths: typeof groups.groupedPaths;
  readonly usedNames: typeof survey.usedNames;
  readonly surveyNodes: typeof survey.surveyNodes;
  readonly countTexts: typeof survey.countTexts;
  readonly slicedTexts: typeof survey.slicedTexts;
  readonly unpin: typeof survey.unpin;
  readonly edgesInto: typeof survey.edgesInto;
  readonly edgeNames: typeof survey.edgeNames;
  readonly treeOrder: typeof classes.treeOrder;
  readonly totals: typeof classes.totals;
  readonly nameClasses: typeof classes.nameClasses;
  readonly shapes: typeof classes.shapes;
}
