import { entry } from './entry.ts';

/** Errors and warnings of scopes, accounts and what scopes own. */
export const scopeErrors = {
  PLM_SCOPE_BAD_NAME: entry({
    help: 'A scope kind or name has to be a non-empty string. The scope is opened under a placeholder name, because a missing session id must not stop a request. All characters are allowed: those that would break a path are escaped in it, and names are cut at 200 characters.',
    text: (d: { part: 'kind' | 'name'; value: string; used: string }) => ({
      message: `the ${d.part} of a scope is ${d.value}; it was opened as ${JSON.stringify(d.used)}.`,
      where: d.part === 'kind' ? 'open(kind)' : 'open(kind, name)',
      fix: `pass a non-empty string as ${d.part}, such as ${d.part === 'kind' ? '"session"' : '"42"'}.`,
    }),
    example: { part: 'name' as 'kind' | 'name', value: '""', used: '(unnamed)' },
  }),
  PLM_SCOPE_BAD_OPTION: entry({
    help: 'An option of open() has a value that cannot be used. The scope is opened without it.',
    text: (d: { option: string; value: string; accepted: string; kind: string }) => ({
      message: `${d.option} is ${d.value}; accepted: ${d.accepted}.`,
      where: `open(${JSON.stringify(d.kind)}, name, { ${d.option} })`,
      fix: `pass ${d.accepted} as ${d.option}, or leave it out.`,
    }),
    example: { option: 'budget', value: 'NaN', accepted: 'a number of bytes above 0', kind: 'session' },
  }),
  PLM_SCOPE_PARENT_CLOSED: entry({
    help: 'A scope was opened inside one that is closed or closing, usually by a timer or a stream that outlived its session. It is attached to the nearest ancestor that is still open, so its bytes are counted there.',
    text: (d: { kind: string; attachedTo: string }) => ({
      message: `a scope of kind ${JSON.stringify(d.kind)} was opened after its parent had closed; it is attached to ${d.attachedTo}.`,
      where: `open(${JSON.stringify(d.kind)}, name)`,
      fix: 'end the work with scope.signal when its scope closes, or close the parent later.',
    }),
    example: { kind: 'tool', attachedTo: 'process' },
  }),
  PLM_SCOPE_TOO_DEEP: entry({
    help: 'Scopes are nested deeper than allowed, as in an endless delegation. The scope is opened beside its parent instead of in it, so that charging and paths stay cheap.',
    text: (d: { kind: string; depth: number }) => ({
      message: `scopes are nested ${d.depth} deep; a scope of kind ${JSON.stringify(d.kind)} was opened beside its parent.`,
      where: `open(${JSON.stringify(d.kind)}, name)`,
      fix: 'limit how deep agents may delegate, or close scopes of finished work.',
    }),
    example: { kind: 'agent', depth: 1000 },
  }),
  PLM_SCOPE_BAD_BYTES: entry({
    help: 'A charge, a credit or a meter gave a number that is not a count of bytes (negative, NaN, infinite or above 2^53). The account stays as it was.',
    text: (d: { verb: string; value: string; scope: string }) => ({
      message: `${d.verb} was given ${d.value}; the account was not changed.`,
      where: `${d.verb} on ${d.scope}`,
      fix: 'pass a finite number of bytes from 0 upwards.',
    }),
    example: { verb: 'charge', value: 'NaN', scope: 'scopes of kind "session"' },
  }),
  PLM_SCOPE_OVERCREDIT: entry({
    help: 'More was credited than the scope itself holds: an amount was credited twice, or on another scope than the charged one. The account stops at zero.',
    text: (d: { bytes: number; own: number; scope: string }) => ({
      message: `${d.bytes} bytes were credited to an account that holds ${d.own}; it now holds 0.`,
      where: d.scope,
      fix: 'credit once, on the scope that was charged; a line (scope.line) does that automatically.',
    }),
    example: { bytes: 4096, own: 1024, scope: 'scopes of kind "session"' },
  }),
  PLM_SCOPE_CHARGED_LATE: entry({
    help: 'A closed scope was charged. The bytes are not counted anywhere, because nothing would ever credit them.',
    text: (d: { scope: string }) => ({
      message: 'a charge came after the scope had closed and was not counted.',
      where: d.scope,
      fix: 'stop the work with scope.signal when its scope closes.',
    }),
    example: { scope: 'scopes of kind "session"' },
  }),
  PLM_SCOPE_METER_FAILED: entry({
    help: 'Reading the bytes of a charged meter threw. Its last value stays in the account.',
    text: (d: { path: string; error: string }) => ({
      message: `reading a meter threw ${d.error}; its last value is kept.`,
      where: d.path,
      fix: 'make the bytes of the meter a plain number that cannot throw.',
    }),
    example: { path: 'process/session:42', error: 'TypeError: x is undefined' },
  }),
  PLM_SCOPE_DISPOSE_FAILED: entry({
    help: 'A resource that a scope owned threw or rejected while it was disposed. The other resources were still disposed and the scope was closed.',
    text: (d: { path: string; label: string; error: string }) => ({
      message: `disposing ${JSON.stringify(d.label)} failed with ${d.error}; closing went on.`,
      where: d.path,
      fix: `make the dispose function of ${JSON.stringify(d.label)} handle its own errors.`,
    }),
    example: { path: 'process/session:42', label: 'socket', error: 'Error: already closed' },
  }),
  PLM_SCOPE_DISPOSE_TIMEOUT: entry({
    help: 'A resource that a scope owned was not disposed within the time allowed. Closing went on without waiting; the resource may still be open.',
    text: (d: { path: string; label: string; ms: number }) => ({
      message: `disposing ${JSON.stringify(d.label)} took longer than ${d.ms} ms; closing went on without it.`,
      where: d.path,
      fix: 'make the dispose function settle, or raise disposeTimeoutMs of open().',
    }),
    example: { path: 'process/session:42', label: 'browser', ms: 5000 },
  }),
  PLM_SCOPE_NOT_DISPOSABLE: entry({
    help: 'scope.own() was given something without a dispose function. It is not owned.',
    text: (d: { value: string; scope: string }) => ({
      message: `own() was given ${d.value}, which has neither Symbol.dispose nor Symbol.asyncDispose and is no function.`,
      where: d.scope,
      fix: 'pass a function that releases it: scope.own(() => thing.close(), "thing").',
    }),
    example: { value: 'a Socket', scope: 'scopes of kind "session"' },
  }),
  PLM_SCOPE_OWNED_LATE: entry({
    help: 'scope.own() was called on a scope that is closed or closing. The resource was disposed at once, because the scope will not do it later.',
    text: (d: { path: string; label: string }) => ({
      message: `${JSON.stringify(d.label)} was given to a scope that is closing; it was disposed at once.`,
      where: d.path,
      fix: 'check scope.state or scope.signal before opening a resource.',
    }),
    example: { path: 'process/session:42', label: 'socket' },
  }),
  PLM_SCOPE_NOT_AN_OBJECT: entry({
    help: 'scope.watch() and scope.root() take objects or functions; a string or number cannot be watched for being collected.',
    text: (d: { verb: string; value: string; scope: string }) => ({
      message: `${d.verb}() was given ${d.value}, which is not an object.`,
      where: `${d.verb} on ${d.scope}`,
      fix: `pass the object that holds the data to ${d.verb}().`,
    }),
    example: { verb: 'watch', value: 'a string', scope: 'scopes of kind "session"' },
  }),
  PLM_SCOPE_ABANDONED: entry({
    help: 'Nothing in the program refers to an open scope any more, so nobody can close it. Without owned resources it was closed and its bytes were taken off; with owned resources it stays open until its parent closes, because disposing them during a garbage collection could harm live work.',
    text: (d: { path: string; closed: boolean; owned: number }) => ({
      message: d.closed
        ? 'the scope was never closed and nothing refers to it; it was closed now.'
        : `the scope was never closed and nothing refers to it; it owns ${d.owned} resources and stays open until its parent closes.`,
      where: d.path,
      fix: 'close it with "using", "await using" or scope.close().',
    }),
    example: { path: 'process/session:42', closed: true, owned: 0 },
  }),
  PLM_SCOPE_CLOSED: entry({
    help: 'The reason of scope.signal once the scope has closed. It is an AbortError, so that fetch, streams and agent frameworks treat it as a cancellation.',
    text: (d: { path: string; reason: string }) => ({
      message: `the scope has closed (${d.reason}).`,
      where: d.path,
      fix: 'treat it as a cancellation; work that must outlive the scope should use the signal of its parent.',
    }),
    example: { path: 'process/session:42', reason: 'closed' },
  }),
};
