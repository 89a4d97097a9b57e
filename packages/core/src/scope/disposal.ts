import { clearTimeout, setTimeout } from 'node:timers';
import { failure, warnOnce } from '../errors.ts';
import { describe } from './fault-log.ts';
import { runInside } from './handle.ts';
import type { Owned, ScopeRecord } from './scope-record.ts';

/** How long one resource may take to be disposed, unless the scope says otherwise. */
const defaultDisposeTimeoutMs = 5_000;

/** Something a scope can own: disposable, async disposable, or the function that lets go. */
export type Ownable = Disposable | AsyncDisposable | (() => unknown);

/** How to let go of a value, or undefined when it offers no way. Reading the value must not throw into user code. */
export function owned(value: unknown, label: string | undefined): Owned | undefined {
  try {
    const isFunction = typeof value === 'function';
    if (!isFunction && (typeof value !== 'object' || value === null)) return undefined;
    const resource = value as Partial<Disposable & AsyncDisposable> & { name?: unknown };
    const method: unknown =
      resource[Symbol.asyncDispose] ?? resource[Symbol.dispose] ?? (isFunction ? value : undefined);
    if (typeof method !== 'function') return undefined;
    const name = isFunction ? resource.name : value.constructor?.name;
    return {
      label: label ?? (typeof name === 'string' && name !== '' ? name : 'resource'),
      dispose: () => (method as () => unknown).call(value),
    };
  } catch {
    return undefined;
  }
}

/** Disposes in reverse order, one at a time. Returns true when `done` will be called later, false when all is done now. */
export function disposeAll(record: ScopeRecord, resources: Owned[], done: () => void): boolean {
  for (let resource = resources.pop(); resource !== undefined; resource = resources.pop()) {
    const pending = disposeOne(record, resource);
    if (pending === undefined) continue;
    void resume(pending, record, resources, done);
    return true;
  }
  return false;
}

async function resume(
  pending: Promise<void>,
  record: ScopeRecord,
  resources: Owned[],
  done: () => void,
): Promise<void> {
  await pending;
  if (!disposeAll(record, resources, done)) done();
}

/** Disposes one resource in the async context of its scope; a promise when it needs time. It never rejects. */
function disposeOne(record: ScopeRecord, resource: Owned): Promise<void> | undefined {
  if (record.closing !== undefined) record.closing.disposed += 1;
  try {
    const handle = record.liveHandle();
    const result = handle === undefined ? resource.dispose() : runInside(handle, resource.dispose);
    const isThenable = typeof result === 'object' && result !== null && 'then' in result;
    return isThenable ? settled(record, resource, result) : undefined;
  } catch (cause) {
    disposeFailed(record, resource, cause);
    return undefined;
  }
}

function settled(record: ScopeRecord, resource: Owned, result: object): Promise<void> {
  return new Promise((resolve) => {
    const ms = record.extras?.disposeTimeoutMs ?? defaultDisposeTimeoutMs;
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      const details = { path: record.path, label: resource.label, ms };
      record.fault(failure('PLM_SCOPE_DISPOSE_TIMEOUT', details), resource.label);
      resolve();
    }, ms);
    timer.unref();
    Promise.resolve(result).then(
      () => {
        clearTimeout(timer);
        resolve();
      },
      (cause: unknown) => {
        clearTimeout(timer);
        if (!late) disposeFailed(record, resource, cause);
        resolve();
      },
    );
  });
}

function disposeFailed(record: ScopeRecord, { label }: Owned, cause: unknown): void {
  const details = { path: record.path, label, error: describe(cause) };
  record.fault(failure('PLM_SCOPE_DISPOSE_FAILED', details), label, cause);
}

/** Lets go at once of what was given to a scope that is closing or closed. */
export function disposeLate(record: ScopeRecord, resource: Owned): void {
  const error = failure('PLM_SCOPE_OWNED_LATE', { path: record.path, label: resource.label });
  record.fault(error, resource.label);
  void disposeOne(record, resource);
}

export function warnNotDisposable(kind: string, value: unknown): void {
  warnOnce('PLM_SCOPE_NOT_DISPOSABLE', {
    value: nounOf(value),
    scope: `scopes of kind ${JSON.stringify(kind)}`,
  });
}

/** What a value is, without its content: "a string", "null", "a Socket". */
export function nounOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === 'string' && name !== '' ? `a ${name}` : 'an object';
}
