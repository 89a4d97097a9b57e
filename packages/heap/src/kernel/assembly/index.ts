// @ts-nocheck AssemblyScript: compiled by scripts/build-kernel.ts, not by tsc.
export {
  byteSum, detachedBits, edges, edgeSum, nodes, noteWords, position, propertyCountAt, propertyWords, quads, source,
} from './rows';
export { stringNotes, stringOffsets, stringPosition, strings, stringState } from './strings';
export {
  countRetainers, invert, link, listRetainers, moveSizes, nearest, ownedBits, owners, ownSizes, ownSizesLarge, positions,
  renumber, reverse, semidominators, sumUp, sumUpLarge, visit, walking,
} from './graph';
export {
  countTexts, edgeNames, edgeNotes, edgesInto, namedEdges, ropeBytes, ropeCount, slicedTexts, sliceNotes, surveyNodes, surveyNotes, unpin, usedNames,
} from './survey';
export {
  classWords, groupCount, groupEdge, groupedPaths, groupKey, groupNow, groupsPlaced, groupVertex, groupWaiting,
} from './path-groups';
export { pathLeft, pathNow, pathWaiting, settlePaths } from './paths';
export { classCount, nameClasses, shapeCount, shapeLists, shapes, totals, totalsLarge, treeOrder } from './classes';
