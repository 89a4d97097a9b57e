import { closeReport } from './close-tree.ts';
import type { CloseReport } from './close-tree.ts';
import type { ScopeRecord } from './scope-record.ts';

/**
 * What `close()` returns for a scope that has closed: a promise of its report. Most programs do not wait for it, and a report costs as much
 * as opening a scope, so that the report and the real promise are made for who asks. `await`, `Promise.all` and `then` ask.
 */
class CloseAnswer {
  readonly #record: ScopeRecord;
  #promise: Promise<CloseReport> | undefined = undefined;

  constructor(record: ScopeRecord) {
    this.#record = record;
  }

  static {
    Object.setPrototypeOf(this.prototype, Promise.prototype);
    Object.defineProperty(this.prototype, 'constructor', { value: Promise });
    const methods = ['then', 'catch', 'finally'] as const;
    for (const name of methods) {
      Object.defineProperty(this.prototype, name, {
        value(this: CloseAnswer, ...handlers: readonly never[]) {
          const promise = (this.#promise ??= Promise.resolve(closeReport(this.#record)));
          return Reflect.apply(promise[name], promise, handlers) as unknown;
        },
      });
    }
  }
}

export function closeAnswer(record: ScopeRecord): Promise<CloseReport> {
  return new CloseAnswer(record) as unknown as Promise<CloseReport>;
}
