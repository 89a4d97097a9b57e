import type { PlimsollError } from '../errors.ts';
import { faultChannel } from './channels.ts';
import { ownCopy } from './scope-path.ts';

/** Something that went wrong in or around a scope and was not thrown into user code. */
export interface ScopeFault {
  readonly at: number;
  readonly code: string;
  readonly path: string;
  /** Label of the resource or object concerned. */
  readonly label: string | undefined;
  readonly message: string;
  /** Where it was thrown, cut at 2,000 characters. */
  readonly stack: string | undefined;
}

/** What `plimsoll:scope.fault` carries: the fault with the thrown value itself, which nothing else keeps. */
interface FaultMessage extends ScopeFault {
  readonly cause: unknown;
}

const maxRecent = 100;

/** Faults of scopes: how many of each code, and the last hundred as text; a thrown value could hold user data. */
export class FaultLog {
  #count = 0;
  readonly #recent: ScopeFault[] = [];
  readonly #byCode = new Map<string, number>();

  get count(): number {
    return this.#count;
  }

  get byCode(): ReadonlyMap<string, number> {
    return this.#byCode;
  }

  get recent(): readonly ScopeFault[] {
    return this.#recent;
  }

  report(error: PlimsollError, label: string | undefined, cause?: unknown): ScopeFault {
    const { code, where: path, message } = error;
    const fault: ScopeFault = { at: Date.now(), code, path, label, message, stack: stackOf(cause) };
    this.#count += 1;
    this.#byCode.set(code, (this.#byCode.get(code) ?? 0) + 1);
    this.#recent.push(fault);
    if (this.#recent.length > maxRecent) this.#recent.shift();
    if (faultChannel.hasSubscribers) faultChannel.publish({ ...fault, cause } satisfies FaultMessage);
    return fault;
  }
}

/** The faults of this process. */
export const faults = new FaultLog();

/** A thrown value in one line; reading it must not throw either. */
export function describe(thrown: unknown): string {
  try {
    return ownCopy(String(thrown).slice(0, 300));
  } catch {
    return 'a value that cannot be printed';
  }
}

function stackOf(thrown: unknown): string | undefined {
  try {
    const stack = thrown instanceof Error ? thrown.stack : undefined;
    return typeof stack === 'string' ? ownCopy(stack.slice(0, 2_000)) : undefined;
  } catch {
    return undefined;
  }
}
