/** What an adapter of a framework needs beside `open` and `currentScope`. The guide is docs/guides/write-an-adapter.md. */
export { bindScope, openEntry, openIn } from './bind-scope.ts';
export type { ScopeChannel } from './bind-scope.ts';
export { callSignal } from './call-signal.ts';
export { placeOf, putInto, sessionAround, sessions } from './session-book.ts';
export type { SessionBook, SessionRules } from './session-book.ts';
export { noteTrace } from './trace-book.ts';
export type { TraceRef } from './trace-book.ts';
export { SpanScopes } from './span-scopes.ts';
export type { SpanOptions } from './span-scopes.ts';
export { checkAdapter } from './check-adapter.ts';
export type { AdapterCases } from './check-adapter.ts';
