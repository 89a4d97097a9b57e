import { catalogue, failure, PlimsollError } from '../errors.ts';
import { withoutStack } from '../without-stack.ts';
import type { ScopeRecord } from './scope-record.ts';

/**
 * The abort reason of a closed scope; its name makes fetch and frameworks treat it as a cancellation.
 *
 * It is a native error, because structuredClone, Error.isError and Node's report of an unhandled rejection tell errors by that and not by
 * their prototype. Almost nobody reads it, so its stack is not walked, and the parts that need the path are made when they are read.
 * The record of a closed scope has its name and figures and nothing of the program.
 */
class ClosedReason extends Error {
  readonly #record: ScopeRecord;

  constructor(record: ScopeRecord) {
    super(messageFor(record.reason));
    this.#record = record;
  }

  static {
    Object.setPrototypeOf(this.prototype, PlimsollError.prototype);
    const { fix, docs, code } = failure('PLM_SCOPE_CLOSED', catalogue.PLM_SCOPE_CLOSED.example);
    const constants = { constructor: PlimsollError, name: 'AbortError', code, fix, docs };
    for (const [key, value] of Object.entries(constants))
      Object.defineProperty(this.prototype, key, { value, writable: true, configurable: true });
  }

  get where(): string {
    return this.#record.path;
  }
}

/** Most scopes close for the reason of the one before. */
let last = { reason: '', message: '' };

function messageFor(reason: string): string {
  if (last.message === '' || last.reason !== reason)
    last = { reason, message: failure('PLM_SCOPE_CLOSED', { path: '', reason }).message };
  return last.message;
}

export function closedReason(record: ScopeRecord): Error {
  return withoutStack(() => new ClosedReason(record));
}
