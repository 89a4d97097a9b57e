export { isolate } from './isolate.ts';
export type { IsolateCallOptions, Isolated, IsolateOptions, IsolateStats } from './isolate.ts';
export { isIsolateError, IsolateError } from './isolate-error.ts';
export type { DeathCause, IsolateAutopsy } from './isolate-error.ts';
