// @ts-nocheck AssemblyScript: compiled by scripts/build-kernel.ts, not by tsc.
export { edges, edgeSum, nodes, noteWords, position, propertyCountAt, propertyWords, quads, source } from './rows';
export { stringNotes, stringOffsets, stringPosition, strings, stringState } from './strings';
export { dominators, invert, markTargets, moveSizes, ownedBits, owners, ownSizes, positions, renumber, reverse, sumUp, visit } from './graph';
export { classCount, nameClasses, shapeCount, shapeLists, shapes, totals, treeOrder } from './classes';
