import type { Scope } from '../scope/index.ts';
import { openIn } from './bind-scope.ts';
import { placeOf } from './session-book.ts';

export interface SpanOptions {
  /** Id of the span around it, when the framework gives one. */
  readonly parentId?: string | undefined;
  /** Session that a span without a known parent belongs to, unless it runs inside one already. */
  readonly session?: string | undefined;
}

const most = 10_000;

/** Scopes of a framework that reports spans by id: a start with the id of its parent, and an end. */
export class SpanScopes {
  readonly #open = new Map<string, Scope>();
  #dropped = 0;

  get size(): number {
    return this.#open.size;
  }

  /** Spans without a scope of their own because 10,000 were open. */
  get dropped(): number {
    return this.#dropped;
  }

  open(id: string, kind: string, name: string, options: SpanOptions = {}): Scope | undefined {
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    if (this.#open.size >= most) this.#forgetClosed();
    if (this.#open.size >= most) {
      this.#dropped += 1;
      return undefined;
    }
    const scope = openIn(this.#parentOf(options), kind, name);
    this.#open.set(id, scope);
    return scope;
  }

  get(id: string | undefined): Scope | undefined {
    const scope = id === undefined ? undefined : this.#open.get(id);
    return scope?.state === 'open' ? scope : undefined;
  }

  close(id: string, reason?: string): void {
    const scope = this.#open.get(id);
    if (scope === undefined) return;
    this.#open.delete(id);
    // Without a reason nobody asks for the report of the close.
    if (reason === undefined) scope[Symbol.dispose]();
    else void scope.close(reason);
  }

  #parentOf({ parentId, session }: SpanOptions): Scope | undefined {
    const parent = this.get(parentId);
    if (parent !== undefined || session === undefined) return parent;
    return placeOf(session);
  }

  /** Scopes end with their parent, too; then no end of the span is needed. */
  #forgetClosed(): void {
    for (const [id, scope] of this.#open) if (scope.state === 'closed') this.#open.delete(id);
  }
}
