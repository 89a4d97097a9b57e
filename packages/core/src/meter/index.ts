export { shallowBytes } from './layout.ts';
export type { UnknownKind } from './walk.ts';
export { measure } from './measure.ts';
export type { Measurement, MeasureOptions, Unknown } from './measure.ts';
export { Meter } from './meter.ts';
export type { MeterOptions } from './meter.ts';
export { selfCheck } from './self-check.ts';
export type { SelfCheck } from './self-check.ts';
export { flatten, stringBytes, unslice } from './string-bytes.ts';
