export { expand, shallowBytes, step, Walk } from './layout.ts';
export type { UnknownKind } from './layout.ts';
export { stringBytes } from './string-bytes.ts';
