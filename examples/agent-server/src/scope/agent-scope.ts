/** The part of a scope that this server uses. Plimsoll's `Scope` has all of it. `PlainScope` replaces it with `--ungoverned`. */
export interface AgentScope {
  readonly path: string;
  /** Aborted when the scope closes or the longer-lived signal it forwards is aborted. */
  readonly signal: AbortSignal;
  run<Result>(work: () => Result): Result;
  charge(bytes: number): void;
  credit(bytes: number): void;
  /** Registers a function for the close of the scope. The last one runs first. */
  own(dispose: () => void, label?: string): unknown;
  /** Registers an object whose memory is this scope's. */
  root(object: object): unknown;
  /** Names an object that must be gone after the scope closed. */
  watch(object: object, label: string): unknown;
  /** Claims the scope. A leased scope is not evicted. */
  lease(): { release(): void };
  close(reason?: string): Promise<unknown>;
}

export interface AgentScopeOptions {
  readonly parent?: AgentScope;
  readonly signal?: AbortSignal;
  /** The object from which this scope's bytes are counted. */
  readonly root?: object;
}

export type OpenScope = (kind: string, name: string, options?: AgentScopeOptions) => AgentScope;
