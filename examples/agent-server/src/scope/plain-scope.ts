import type { AgentScope, AgentScopeOptions } from './agent-scope.ts';

const noLease = { release: (): void => {} };

/** A scope with a lifetime but without accounts, names and reports, as in a server without Plimsoll. */
export class PlainScope implements AgentScope {
  readonly path = '';
  readonly #parent: PlainScope | undefined;
  readonly #upstream: AbortSignal | undefined;
  readonly #forward = (): void => void this.close('upstream aborted');
  #controller: AbortController | undefined;
  #disposers: (() => void)[] = [];
  #children = new Set<PlainScope>();
  #closed = false;

  constructor(options: AgentScopeOptions = {}) {
    this.#parent = options.parent as PlainScope | undefined;
    if (this.#parent !== undefined) this.#parent.#children.add(this);
    this.#upstream = options.signal;
    this.#upstream?.addEventListener('abort', this.#forward, { once: true });
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#closed && !this.#controller.signal.aborted) this.#controller.abort();
    return this.#controller.signal;
  }

  run<Result>(work: () => Result): Result {
    return work();
  }

  charge(): void {}

  credit(): void {}

  own(dispose: () => void): void {
    this.#disposers.push(dispose);
  }

  root(): void {}

  watch(): void {}

  lease(): { release(): void } {
    return noLease;
  }

  close(reason?: string): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    this.#upstream?.removeEventListener('abort', this.#forward);
    if (this.#parent !== undefined) this.#parent.#children.delete(this);
    const children = [...this.#children].map((child) => child.close(reason));
    this.#controller?.abort(new DOMException(reason ?? 'scope closed', 'AbortError'));
    for (const dispose of this.#disposers.toReversed()) dispose();
    this.#disposers = [];
    return Promise.all(children).then(() => {});
  }
}

export const openPlain = (_kind: string, _name: string, options?: AgentScopeOptions): AgentScope =>
  new PlainScope(options);
