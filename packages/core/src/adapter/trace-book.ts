import { slots } from '../slots.ts';

/** The span of a request as OpenTelemetry names it. */
export interface TraceRef {
  readonly traceId: string;
  readonly spanId: string;
}

/** The newest span of each scope, closed ones too. Bounded: the scope that was noted longest ago goes. */
export type TraceBook = Map<string, TraceRef>;

const mostScopes = 1000;
const isTraceId = /^(?!0{32})[0-9a-f]{32}$/;

/** Notes in which span a scope runs, so that what happens to the scope can be told with the trace of its request. */
export function noteTrace(path: string, { traceId, spanId }: TraceRef): void {
  if (!isTraceId.test(traceId)) return;
  const book = (slots().traces ??= new Map());
  book.delete(path);
  book.set(path, { traceId, spanId });
  if (book.size > mostScopes) book.delete(book.keys().next().value as string);
}

/** The newest span that ran in a scope or in a scope inside it; undefined when none was noted. */
export function traceOf(path: string): TraceRef | undefined {
  const book = slots().traces;
  if (book === undefined || path === 'process') return undefined;
  const own = book.get(path);
  if (own !== undefined) return own;
  let newest: TraceRef | undefined;
  for (const [inner, ref] of book) if (inner.startsWith(`${path}/`)) newest = ref;
  return newest;
}
