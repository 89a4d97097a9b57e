import { failure, PlimsollError } from '../errors.ts';
import { withoutStack } from '../without-stack.ts';
import type { ScopeRecord } from './scope-record.ts';

const parts = ['name', 'message', 'stack', 'code', 'where', 'fix', 'docs'] as const;

/**
 * The abort reason of a closed scope; its name makes fetch and frameworks treat it as a cancellation.
 *
 * Almost nobody reads it, and to make an error with its text took longer than everything else that a scope does. So it is an error by its
 * prototype only, without the constructor of Error, and its parts are made when they are read. The record of a closed scope has its name
 * and figures and nothing of the program.
 */
class ClosedReason {
  readonly #record: ScopeRecord;
  #error: PlimsollError | undefined = undefined;

  constructor(record: ScopeRecord) {
    this.#record = record;
  }

  static {
    Object.setPrototypeOf(this.prototype, PlimsollError.prototype);
    Object.defineProperty(this.prototype, 'constructor', { value: PlimsollError });
    for (const part of parts) {
      Object.defineProperty(this.prototype, part, {
        get(this: ClosedReason) {
          return this.#made()[part];
        },
        // As with any error, a program may change its message.
        set(this: ClosedReason, value: unknown) {
          Object.defineProperty(this, part, { value, configurable: true, writable: true });
        },
      });
    }
  }

  #made(): PlimsollError {
    if (this.#error !== undefined) return this.#error;
    const { path, reason } = this.#record;
    this.#error = withoutStack(() => failure('PLM_SCOPE_CLOSED', { path, reason }));
    this.#error.name = 'AbortError';
    return this.#error;
  }
}

export function closedReason(record: ScopeRecord): Error {
  return new ClosedReason(record) as unknown as Error;
}
